import './style.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Game } from './game-view';

createRoot(document.body).render(
  <StrictMode>
    <Game />
  </StrictMode>,
);
