import { render } from 'preact';
import { App } from './app.js';
import { applyTheme, chosenTheme } from './theme.js';

applyTheme(chosenTheme());
const root = document.querySelector('#console');
if (root !== null) render(<App />, root);
