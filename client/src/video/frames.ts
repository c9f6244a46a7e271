/** What Chromium and Safari read frames of a track with, and Firefox not yet. */
interface TrackProcessor {
  readable: ReadableStream<VideoFrame>;
}
declare global {
  var MediaStreamTrackProcessor: (new (init: { track: MediaStreamTrack }) => TrackProcessor) | undefined;
}

/** Calls with each frame of a camera until it is ended; who is called does not keep the frame. Gives what ends it. */
export function readFrames(
  stream: MediaStream,
  video: HTMLVideoElement,
  take: (frame: VideoFrame) => void,
): () => void {
  const track = stream.getVideoTracks()[0];
  if (globalThis.MediaStreamTrackProcessor && track) return readTrack(track, take);
  return readElement(video, take);
}

function readTrack(track: MediaStreamTrack, take: (frame: VideoFrame) => void): () => void {
  const reader = new globalThis.MediaStreamTrackProcessor!({ track }).readable.getReader();
  const read = async (): Promise<void> => {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      take(value);
      value.close();
    }
  };
  void read().catch(() => {});
  return () => void reader.cancel().catch(() => {});
}

function readElement(video: HTMLVideoElement, take: (frame: VideoFrame) => void): () => void {
  let next = 0;
  const look = (): void => {
    if (video.readyState >= 2) {
      const frame = new VideoFrame(video, { timestamp: Math.round(performance.now() * 1_000) });
      take(frame);
      frame.close();
    }
    next = video.requestVideoFrameCallback(look);
  };
  next = video.requestVideoFrameCallback(look);
  return () => video.cancelVideoFrameCallback(next);
}
