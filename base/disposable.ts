// Things that must be let go, in one list. A list that was disposed lets go of late arrivals at once.

export interface Disposable {
  dispose(): void;
}

export class DisposableList implements Disposable {
  private items: Disposable[] = [];
  private disposed = false;

  add<T extends Disposable>(item: T): T {
    if (this.disposed) item.dispose();
    else this.items.push(item);
    return item;
  }

  /** Last in, first out. */
  dispose(): void {
    this.disposed = true;
    const items = this.items;
    this.items = [];
    for (const item of items.reverse()) item.dispose();
  }
}
