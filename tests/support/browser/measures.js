/* What is wrong with the page as it stands, measured: text under 12 px, cut or spilling out of its shape, parts that lie
   over each other, controls beyond the window or too small for a finger. One line for each fault; an empty list is well. */
({ touch }) => {
  const LEAST = 12, FINGER = 44, SLACK = 1.5;
  const faults = [];
  const top = [...document.querySelectorAll('dialog[open]')].pop() ?? document.body;
  const styles = new Map();
  const style = (one) => styles.get(one) ?? (styles.set(one, getComputedStyle(one)), styles.get(one));
  const name = (one) => `${one.tagName.toLowerCase()}.${[...one.classList].filter((word) => !word.startsWith('svelte-')).join('.')} «${(one.getAttribute('aria-label') ?? one.textContent ?? '').trim().replace(/\s+/g, ' ').slice(0, 40)}»`;
  const fault = (kind, one, more = '') => faults.push(`${kind}: ${name(one)} ${more}`.trim());
  const up = function* (one) { for (let at = one; at && at !== document.documentElement; at = at.parentElement) yield at; };
  const seen = (one) => {
    if (!one.checkVisibility({ checkVisibilityCSS: true, contentVisibilityAuto: true })) return false;
    for (const at of up(one)) {
      if (at.classList.contains('unseen') || Number(style(at).opacity) < .05) return false;
      if (style(at).clipPath.startsWith('inset(50%') || at.hasAttribute('inert')) return false;
    }
    return true;
  };
  /** What is left of a place within everything that clips it; a place that can be scrolled to counts as there. */
  const clipped = (one, place, from = one.parentElement) => {
    let { left, top: upper, right, bottom } = place;
    for (const at of up(from)) {
      const { overflowX, overflowY, position } = style(at);
      const frame = at.getBoundingClientRect();
      if (overflowX === 'auto' || overflowX === 'scroll') { if (place.left < frame.left - SLACK || place.right > frame.right + SLACK) return null; }
      else if (overflowX !== 'visible') { left = Math.max(left, frame.left); right = Math.min(right, frame.right); }
      if (overflowY === 'auto' || overflowY === 'scroll') { if (place.top < frame.top - SLACK || place.bottom > frame.bottom + SLACK) return at.scrollHeight > at.clientHeight + 1 && !at.dataset.whole ? null : { left, top: Math.max(upper, frame.top), right, bottom: Math.min(bottom, frame.bottom) }; }
      else if (overflowY !== 'visible') { upper = Math.max(upper, frame.top); bottom = Math.min(bottom, frame.bottom); }
      if (position === 'fixed') break;
    }
    return { left, top: upper, right, bottom };
  };
  /** What may lie over the rest: a word that goes by itself, an opened list; and what stands still while the rest scrolls. */
  const overlay = (one) => one.closest('.toasts, .bubble, [popover], .inwords, .over');
  const bar = (one) => [...up(one)].find((at) => style(at).position === 'fixed' || style(at).position === 'sticky') ?? null;
  const layer = (one) => overlay(one) ?? bar(one);
  const scrolls = (one) => document.documentElement.scrollHeight > innerHeight + 1 || [...up(one)].some((at) => /auto|scroll/.test(style(at).overflowY) && at.scrollHeight > at.clientHeight + 1);
  const excused = (one, found) => layer(one) !== layer(found) && (overlay(found) !== null || (bar(found) !== null && scrolls(one)));
  const paints = (at) => /^(img|svg|canvas|video)$/i.test(at.tagName) || style(at).backgroundImage !== 'none' || !/, 0(\.\d+)?\)$|transparent/.test(style(at).backgroundColor);
  /** A shape reaches over the middle of a place, and not only the room that it leaves to a finger. */
  const within = (at, place) => { const frame = at.getBoundingClientRect(); return frame.left < place.left + place.width * .8 && frame.right > place.left + place.width * .2 && frame.top < place.top + place.height / 2 && frame.bottom > place.top + place.height / 2; };
  /** Figures on cards and chips are drawings; the lettering of the felt and the words on the wheel are text. */
  const drawn = (one) => one.closest('svg') !== null && one.tagName !== 'textPath' && !one.closest('.word');

  if (document.documentElement.scrollWidth > innerWidth) faults.push(`wide: the page has ${document.documentElement.scrollWidth} of ${innerWidth}`);

  /* text */
  const texts = [];
  const walker = document.createTreeWalker(top, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, one = node.parentElement;
    if (!node.data.trim() || !one || ['SCRIPT', 'STYLE', 'OPTION', 'TITLE'].includes(one.tagName) || drawn(one) || !seen(one)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const place = range.getBoundingClientRect();
    if (!place.width || !place.height) continue;
    let scale = 1;
    if (one.closest('svg')) { const m = one.getScreenCTM?.(); scale = m ? Math.hypot(m.a, m.b) : 1; }
    else for (const at of up(one)) { const { transform, scale: own } = style(at); if (transform !== 'none') { const m = new DOMMatrix(transform); scale *= Math.hypot(m.a, m.b); } if (own !== 'none') scale *= Number.parseFloat(own); }
    const size = Number.parseFloat(style(one).fontSize) * scale;
    if (size < LEAST - .05) fault('small', one, `${size.toFixed(1)} px`);
    if (one.closest('svg')) continue;
    /* cut by what holds it, unless the whole can be read there otherwise */
    const told = [...up(one)].slice(0, 4).some((at) => at.title.includes(node.data.trim()) || (at.getAttribute('aria-label') ?? '').includes(node.data.trim()));
    let shortened = false;
    for (const at of [...up(one)].slice(0, 3)) {
      if (style(at).overflowX === 'visible' || style(at).overflowX === 'auto' || at.scrollWidth <= at.clientWidth + 1) continue;
      shortened = true;
      if (!told) fault('cut', one, `${at.scrollWidth} of ${at.clientWidth}`);
      break;
    }
    const left = clipped(one, place, one);
    if (style(one).pointerEvents !== 'none' && left && left.bottom - left.top > place.height * .8 && left.right > left.left) {
      const found = [.2, .5, .8].map((part) => document.elementFromPoint(left.left + (left.right - left.left) * part, place.top + place.height / 2)).find((at) => at && at !== one && !one.contains(at) && !at.contains(one) && !excused(one, at) && [...up(at)].some((upper) => !upper.contains(one) && paints(upper) && within(upper, place)));
      if (found) fault('under', one, `under ${name(found)}`);
    }
    if (left && left.right > left.left && left.bottom > left.top) texts.push({ one, place: { ...left, width: left.right - left.left, height: left.bottom - left.top } });
    if (shortened) continue;
    if (left && !told && (left.right - left.left < place.width - 2 || left.bottom - left.top < place.height * .8)) fault('hidden', one, 'by what is around it');
    /* within the shape it lies on */
    for (const at of up(one)) {
      const { backgroundColor, borderTopWidth, borderTopStyle, backgroundImage, display } = style(at);
      if (display === 'inline' || display === 'contents') continue;
      const shape = (borderTopStyle !== 'none' && Number.parseFloat(borderTopWidth) > 0) || backgroundImage !== 'none' || !/, 0\)$|transparent/.test(backgroundColor);
      if (!shape) continue;
      const frame = at.getBoundingClientRect();
      const inner = style(at).borderRadius === '50%' ? frame.width * .06 : 0;
      if (style(at).overflowX === 'visible' && (place.left < frame.left + inner - SLACK || place.right > frame.right - inner + SLACK)) fault('spills', one, `${Math.round(place.width)} in ${Math.round(frame.width)}`);
      break;
    }
  }
  /* no text on other text */
  for (let a = 0; a < texts.length; a += 1) for (let b = a + 1; b < texts.length; b += 1) {
    const [p, q] = [texts[a], texts[b]];
    const [w, h] = [Math.min(p.place.right, q.place.right) - Math.max(p.place.left, q.place.left), Math.min(p.place.bottom, q.place.bottom) - Math.max(p.place.top, q.place.top)];
    if (w <= 3 || h <= Math.min(p.place.height, q.place.height) * .35) continue;
    const related = p.one === q.one || p.one.contains(q.one) || q.one.contains(p.one);
    if (!related && !excused(p.one, q.one) && !excused(q.one, p.one)) fault('over', p.one, `and ${name(q.one)} (${Math.round(w)} x ${Math.round(h)})`);
  }

  /* controls */
  const CONTROLS = 'button, a[href], input, select, textarea, summary, [role=slider], [role=switch], [role=tab], [role=menuitem]';
  const hits = (one, x, y) => { const found = document.elementFromPoint(x, y); return found !== null && (found === one || one.contains(found) || (one.labels && [...one.labels].some((label) => label.contains(found)))); };
  const reach = (one, x, y, dx, dy) => { let far = 0; while (far < FINGER && hits(one, x + dx * (far + 1), y + dy * (far + 1))) far += 1; return far; };
  for (const one of top.querySelectorAll(CONTROLS)) {
    if (!seen(one) || one.type === 'hidden') continue;
    const place = one.getBoundingClientRect();
    if (!place.width || (place.width < 3 && place.height < 3) || place.bottom <= 0) continue;
    const left = clipped(one, place);
    if (left === null) continue;
    if (place.left < -SLACK || place.right > innerWidth + SLACK) fault('beyond', one, `${Math.round(place.left)}–${Math.round(place.right)} of ${innerWidth}`);
    if (left.bottom - left.top < place.height - 2 || left.right - left.left < place.width - 2) { fault('clipped', one); continue; }
    if (place.bottom > innerHeight || place.top < 0) {
      if (document.documentElement.scrollHeight <= innerHeight) fault('beyond', one, `${Math.round(place.top)}–${Math.round(place.bottom)} of ${innerHeight}`);
      continue;
    }
    const [x, y] = [place.left + place.width / 2, place.top + place.height / 2];
    const lines = one.getClientRects();
    if (lines.length > 1) continue;
    const points = [[x, y], [place.left + place.width * .2, y], [place.left + place.width * .8, y], [x, place.top + place.height * .2], [x, place.top + place.height * .8]];
    const found = points.map(([px, py]) => (hits(one, px, py) ? null : document.elementFromPoint(px, py))).find((at) => at && !excused(one, at));
    if (found) fault('covered', one, `by ${name(found)}`);
    const inline = one.tagName === 'A' && style(one).display === 'inline';
    if (touch && !inline && hits(one, x, y)) {
      const wide = Math.max(place.width, 1 + reach(one, x, y, -1, 0) + reach(one, x, y, 1, 0));
      const high = Math.max(place.height, 1 + reach(one, x, y, 0, -1) + reach(one, x, y, 0, 1));
      if (wide < FINGER - 1 || high < FINGER - 1) fault('tiny', one, `${Math.round(wide)} x ${Math.round(high)}`);
    }
  }

  /* no panel over a hand */
  const cards = [...top.querySelectorAll('[role=listitem] [role=img]')].filter((one) => seen(one) && !one.closest('article'));
  for (const panel of top.querySelectorAll('.decision, .insure, .face.band, .sheet')) {
    if (!seen(panel) || overlay(panel)) continue;
    const p = panel.getBoundingClientRect();
    for (const card of cards) {
      const c = card.getBoundingClientRect();
      if (panel.contains(card) || !c.width) continue;
      if (Math.min(p.right, c.right) - Math.max(p.left, c.left) > 4 && Math.min(p.bottom, c.bottom) - Math.max(p.top, c.top) > 6) { fault('panel', panel, `over ${name(card)}`); break; }
    }
  }
  return [...new Set(faults)];
}
