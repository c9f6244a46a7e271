/** Streams of somebody else's server: WHEP by the browser's own WebRTC, HLS by the browser or its standard player. */
export type External = { kind: 'whep' | 'hls'; address: string };

/** What the setting of a table says; null where it names no external stream. */
export function readExternal(video: string): External | null {
  const [kind, ...rest] = video.split(':');
  const address = rest.join(':');
  return (kind === 'whep' || kind === 'hls') && /^https?:\/\//.test(address) ? { kind, address } : null;
}

/** Plays it in a video element; gives what ends it. Rejects where it cannot be had; `broken` says that it is over. */
export function playExternal(external: External, video: HTMLVideoElement, broken: () => void): Promise<() => void> {
  return (external.kind === 'whep' ? playWhep : playHls)(external.address, video, broken);
}

/** Milliseconds for candidates to be found: without a server of addresses they are there at once. */
const GATHERING = 1_000;
/** Milliseconds for a server to answer. */
const ANSWERING = 10_000;

/** WebRTC-HTTP Egress Protocol: an offer is posted, the answer comes back, `DELETE` ends it. */
async function playWhep(address: string, video: HTMLVideoElement, broken: () => void): Promise<() => void> {
  const peer = new RTCPeerConnection();
  const stream = new MediaStream();
  peer.addTransceiver('video', { direction: 'recvonly' });
  peer.addTransceiver('audio', { direction: 'recvonly' });
  peer.ontrack = ({ track }) => stream.addTrack(track);
  try {
    await peer.setLocalDescription(await peer.createOffer());
    await gathered(peer);
    const answer = await fetch(address, {
      method: 'POST',
      headers: { 'Content-Type': 'application/sdp' },
      body: peer.localDescription!.sdp,
      signal: AbortSignal.timeout(ANSWERING),
    });
    if (!answer.ok) throw new Error(`whep ${answer.status}`);
    const place = answer.headers.get('Location');
    await peer.setRemoteDescription({ type: 'answer', sdp: await answer.text() });
    peer.onconnectionstatechange = () => {
      if (peer.connectionState === 'failed' || peer.connectionState === 'closed') broken();
    };
    video.srcObject = stream;
    void video.play().catch(() => {});
    return () => {
      peer.close();
      video.srcObject = null;
      if (place) void fetch(new URL(place, address), { method: 'DELETE' }).catch(() => {});
    };
  } catch (fault) {
    peer.close();
    throw fault;
  }
}

function gathered(peer: RTCPeerConnection): Promise<void> {
  if (peer.iceGatheringState === 'complete') return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, GATHERING);
    peer.onicegatheringstatechange = () => {
      if (peer.iceGatheringState !== 'complete') return;
      clearTimeout(timer);
      resolve();
    };
  });
}

async function playHls(address: string, video: HTMLVideoElement, broken: () => void): Promise<() => void> {
  if (video.canPlayType('application/vnd.apple.mpegurl')) {
    video.src = address;
    void video.play().catch(() => {});
    return () => {
      video.removeAttribute('src');
      video.load();
    };
  }
  const { default: Hls } = await import('hls.js/light');
  if (!Hls.isSupported()) throw new Error('no player of HLS');
  const player = new Hls({ enableWorker: false, lowLatencyMode: true });
  player.on(Hls.Events.ERROR, (_, { fatal }) => {
    if (fatal) broken();
  });
  player.loadSource(address);
  player.attachMedia(video);
  void video.play().catch(() => {});
  return () => player.destroy();
}
