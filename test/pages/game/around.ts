declare global {
  /** Runs an expression in the frame of this page, which is another site's, and gives its JSON. */
  var runInFrame: (expression: string) => Promise<string>;
}

const frame = document.querySelector('iframe') as HTMLIFrameElement;
const loaded = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
frame.src = new URLSearchParams(location.search).get('frame') ?? '';

globalThis.runInFrame = async (expression) => {
  await loaded;
  const { port1, port2 } = new MessageChannel();
  const answered = new Promise<{ json?: string; error?: string }>((resolve) => {
    port1.onmessage = ({ data }) => resolve(data);
  });
  frame.contentWindow?.postMessage(expression, '*', [port2]);
  const { json, error } = await answered;
  if (json === undefined) throw new Error(error);
  return json;
};

export {};
