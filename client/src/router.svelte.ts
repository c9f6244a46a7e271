/** Where one is in the house: the path of the address, kept by the browser's own history. */
class Router {
  path = $state(location.pathname);
  query = $state(new URLSearchParams(location.search));

  constructor() {
    addEventListener('popstate', () => this.#read());
  }

  go(path: string): void {
    history.pushState(null, '', path);
    this.#read();
    scrollTo(0, 0);
  }

  /** Follows a link inside the house without a new page; a link elsewhere, or one with a key held, is the browser's. */
  follow(event: MouseEvent): void {
    const link = (event.target as Element | null)?.closest('a');
    if (
      !link ||
      event.defaultPrevented ||
      event.button ||
      event.metaKey ||
      event.ctrlKey ||
      event.shiftKey ||
      event.altKey
    )
      return;
    if (link.target || link.origin !== location.origin || link.hash || link.hasAttribute('download')) return;
    event.preventDefault();
    this.go(link.pathname + link.search);
  }

  #read(): void {
    this.path = location.pathname;
    this.query = new URLSearchParams(location.search);
  }
}

export const router = new Router();
