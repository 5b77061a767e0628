// Where the console begins: the page, in its element.
import { mount } from 'svelte';
import App from './App.svelte';
import './console.css';

mount(App, { target: document.getElementById('console')! });
