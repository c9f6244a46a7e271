/** What Chromium and Safari read frames of a track with, and Firefox not yet. */
interface TrackProcessor {
  readable: ReadableStream<VideoFrame>;
}
type TrackProcessorClass = new (init: { track: MediaStreamTrack }) => TrackProcessor;
const findProcessor = (): TrackProcessorClass | undefined =>
  (globalThis as { MediaStreamTrackProcessor?: unknown }).MediaStreamTrackProcessor as TrackProcessorClass | undefined;

/** Calls with each frame of a camera until it is ended; who is called does not keep the frame. Gives what ends it. */
export function readFrames(
  stream: MediaStream,
  video: HTMLVideoElement,
  take: (frame: VideoFrame) => void,
): () => void {
  const track = stream.getVideoTracks()[0];
  const processor = findProcessor();
  if (processor && track) return readTrack(new processor({ track }), take);
  return readElement(video, take);
}

function readTrack(processor: TrackProcessor, take: (frame: VideoFrame) => void): () => void {
  const reader = processor.readable.getReader();
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
