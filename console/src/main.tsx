import { render } from 'preact';
import { App } from './app.js';
import { startTheme } from './theme.js';

startTheme();
const root = document.querySelector('#console');
if (root !== null) render(<App />, root);
