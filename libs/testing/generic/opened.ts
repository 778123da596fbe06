type Closable = { close(): Promise<void> } | { drop(): Promise<void> };

/** Resources of a suite. `close` closes all of them in reverse order, also after a failure to open one. */
export class Opened {
  private readonly resources: Closable[] = [];

  add<Resource extends Closable>(resource: Resource): Resource {
    this.resources.push(resource);
    return resource;
  }

  /** @throws the first error, after closing all resources */
  async close(): Promise<void> {
    const errors: unknown[] = [];
    for (const resource of this.resources.splice(0).reverse()) {
      await ('close' in resource ? resource.close() : resource.drop()).catch((error: unknown) => errors.push(error));
    }
    if (errors.length > 0) throw errors[0];
  }
}
