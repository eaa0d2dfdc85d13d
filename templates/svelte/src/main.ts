import './style.css';
import { mount } from 'svelte';
import Game from './game-view.svelte';

mount(Game, { target: document.body });
