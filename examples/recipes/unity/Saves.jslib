// Assets/Plugins/WebGL/Saves.jslib: what C# calls, and the messages that it gets.
mergeInto(LibraryManager.library, {
  SavesStart: function (key, target) {
    var receiver = UTF8ToString(target);
    window.saves.start(UTF8ToString(key), function (state) {
      SendMessage(receiver, 'OnSaves', state);
    });
  },
  SavesWrite: function (key, text) {
    var problem = window.saves.write(UTF8ToString(key), UTF8ToString(text));
    if (problem) console.error(problem);
    return problem ? 0 : 1;
  },
  SavesSignIn: function (name, password, target) {
    var receiver = UTF8ToString(target);
    window.saves.signIn(UTF8ToString(name), UTF8ToString(password), function (code) {
      SendMessage(receiver, 'OnSignedIn', code);
    });
  },
  SavesChoose: function (choice) {
    window.saves.choose(UTF8ToString(choice));
  },
});
