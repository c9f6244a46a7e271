import './style/base.css';
import './style/pages.css';
import { mount } from 'svelte';
import App from './App.svelte';

const target = document.getElementById('app');
if (!target) throw new Error('the page has no place for the house');
mount(App, { target });
// The shell without the network; a browser that refuses it, or a page that is being developed, does without.
if (import.meta.env.PROD && 'serviceWorker' in navigator)
  navigator.serviceWorker.register('/sw.js').catch(() => undefined);
