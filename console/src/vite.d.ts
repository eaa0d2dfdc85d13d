// biome-ignore-all lint/style/noDefaultExport: Vite gives the text of a file so.
declare module '*.css';

declare module '*.md?raw' {
  const text: string;
  export default text;
}
