// What the page about Unity uses of it, so that a compiler without Unity can read the page.
namespace UnityEngine {
    public class Object { public string name; }
    public class GameObject : Object { }
    public class MonoBehaviour : Object { public GameObject gameObject; }

    public static class Debug { public static void LogWarning(object message) { } }

    public static class JsonUtility {
        public static T FromJson<T>(string json) => default(T);
        public static string ToJson(object value) => "";
    }
}
