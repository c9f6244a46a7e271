/** The player without subtitles, encryption and advertisements has the same types. */
declare module 'hls.js/light' {
  export { default } from 'hls.js';
}
