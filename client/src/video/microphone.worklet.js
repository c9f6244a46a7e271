/* global AudioWorkletProcessor, registerProcessor, sampleRate */
/** Hands the samples of the microphone on in pieces of 20 ms: what one frame of Opus holds. */
class Microphone extends AudioWorkletProcessor {
  constructor() {
    super();
    this.piece = new Float32Array(Math.round(sampleRate / 50));
    this.filled = 0;
  }

  process([input]) {
    const samples = input?.[0];
    if (!samples) return true;
    for (let at = 0; at < samples.length;) {
      const taken = Math.min(samples.length - at, this.piece.length - this.filled);
      this.piece.set(samples.subarray(at, at + taken), this.filled);
      at += taken;
      this.filled += taken;
      if (this.filled === this.piece.length) {
        this.port.postMessage(this.piece.slice());
        this.filled = 0;
      }
    }
    return true;
  }
}
registerProcessor('microphone', Microphone);
