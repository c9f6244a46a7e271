import type { Track } from './messages';

/** The stream that is on the screen, for who lists its qualities; small, so that asking costs no decoder. */
class ShownStream {
  tracks = $state.raw<readonly Track[]>([]);
}

export const shownStream = new ShownStream();
