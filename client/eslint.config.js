import js from '@eslint/js';
import svelte from 'eslint-plugin-svelte';
import { defineConfig } from 'eslint/config';
import globals from 'globals';
import ts from 'typescript-eslint';
import svelteConfig from './svelte.config.js';

export default defineConfig(
  { ignores: ['src/wire/schema.ts'] }, // generated
  js.configs.recommended,
  ts.configs.recommended,
  svelte.configs.recommended,
  svelte.configs.prettier,
  { languageOptions: { globals: globals.browser } },
  { files: ['scripts/**'], languageOptions: { globals: globals.node } },
  { files: ['public/sw.js'], languageOptions: { globals: globals.serviceworker } },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: ts.parser, svelteConfig } },
    rules: {
      // State is `$state.raw`, replaced as a whole; maps, sets and addresses are local values that nothing watches.
      'svelte/prefer-svelte-reactivity': 'off',
      // TypeScript finds an unknown name, and knows the types of the browser.
      'no-undef': 'off',
    },
  },
  {
    rules: {
      // A drawing's path is data, not text to read.
      'max-len': ['error', { code: 120, ignorePattern: '(^|[\\s=])["\'`]M[\\d$-]' }],
      // `_` is the name of a value that has to be taken and is not used.
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_$', varsIgnorePattern: '^_$', destructuredArrayIgnorePattern: '^_$' },
      ],
    },
  },
);
