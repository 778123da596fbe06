type Closable = { close(): Promise<void> } | { drop(): Promise<void> };

/** What a suite has opened. It is closed in the opposite order, all of it, also where opening the next one failed. */
export class Opened {
  private readonly things: Closable[] = [];

  add<Thing extends Closable>(thing: Thing): Thing {
    this.things.push(thing);
    return thing;
  }

  /** @throws the first error, when everything was tried */
  async close(): Promise<void> {
    const errors: unknown[] = [];
    for (const thing of this.things.splice(0).reverse()) {
      await ('close' in thing ? thing.close() : thing.drop()).catch((error: unknown) => errors.push(error));
    }
    if (errors.length > 0) throw errors[0];
  }
}
