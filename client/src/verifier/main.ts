import '../style/base.css';
import { mount } from 'svelte';
import Alone from './Alone.svelte';

const target = document.getElementById('app');
if (!target) throw new Error('the page has no place for the verifier');
target.replaceChildren();
mount(Alone, { target });
