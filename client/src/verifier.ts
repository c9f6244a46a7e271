import './style/base.css';
import './style/pages.css';
import { mount } from 'svelte';
import Standalone from './pages/verifier/Standalone.svelte';

const target = document.getElementById('app');
if (!target) throw new Error('the page has no place for the verifier');
target.replaceChildren();
mount(Standalone, { target });
