import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { LIVE_PROGRAMS } from '@fresnel/domain/events';
import { generateLedger } from '@fresnel/ledger-generator';
import { captureLog } from '@fresnel/testing/generic';
import {
  type LedgerSnapshotOptions,
  readHistory,
  readHistoryLedger,
  signaturesOf,
  writeLedgerSnapshot,
} from '@fresnel/testing/history';
import { describeHistorySource } from '../history-source.contract';
import { sha256Of, type SnapshotChunk } from './snapshot-manifest';
import { SnapshotSource } from './snapshot.source';

const LEDGER = readHistoryLedger([...generateLedger({ seed: 47, slots: 40 })]);
const RANGE = [LEDGER[0].slot, LEDGER[LEDGER.length - 1].slot + 50] as const;
const SIGNATURES = LEDGER.flatMap(({ transactions }) => transactions)
  .filter(({ isFailed }) => !isFailed)
  .map(({ signature }) => signature);

const folders: string[] = [];
const newFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'fresnel-snapshot-'));
  folders.push(folder);
  return folder;
};

function open(urls: readonly string[], manifestSha256: string | null = null) {
  const { logger, lines } = captureLog();
  const options = { urls, manifestSha256, program: LIVE_PROGRAMS.accountCompression, timeoutMs: 10_000 };
  return { source: new SnapshotSource({ ...options, backoff: { firstMs: 1, longestMs: 4 } }, logger), lines };
}

const urlOf = (folder: string) => pathToFileURL(folder).href;

/** A web server, on which each path after the host is a file of a folder, or what `answer` does instead. */
async function serve(folder: string, answer: RequestListener | null = null): Promise<{ url: string; server: Server }> {
  const server = createServer((request, response) => {
    if (answer) answer(request, response);
    if (!response.headersSent && !response.destroyed) response.end(readFileSync(join(folder, request.url ?? '')));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

describe('SnapshotSource', () => {
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true });
  });

  describeHistorySource(async (ledger) => {
    const options: LedgerSnapshotOptions = {};
    const folder = newFolder();
    let written: Promise<string> | null = null;
    const { url, server } = await serve(folder, (request, response) => {
      written ??= writeLedgerSnapshot(folder, ledger, options);
      written.then(
        () => response.end(readFileSync(join(folder, request.url ?? ''))),
        (error: unknown) => response.destroy(error as Error),
      );
      response.flushHeaders();
    });
    return {
      source: open([url]).source,
      limitAnswers: (count) => (options.chunkSize = count),
      withhold: (withheld) => (options.withholds = withheld),
      close: async () => {
        await written;
        await new Promise((resolve) => server.close(resolve));
      },
    };
  });

  describe('with mirrors', () => {
    let good: string;
    let sha256: string;
    let chunk: string;
    const opened: Server[] = [];
    beforeAll(async () => {
      good = newFolder();
      sha256 = await writeLedgerSnapshot(good, LEDGER);
      chunk = readdirSync(good).filter((name) => name.endsWith('.gz'))[1];
    });
    afterAll(() => {
      for (const server of opened) server.close().closeAllConnections();
    });

    const copy = () => {
      const folder = newFolder();
      for (const name of readdirSync(good)) copyFileSync(join(good, name), join(folder, name));
      return folder;
    };
    const mirror = async (answer: RequestListener | null, folder = good) => {
      const { url, server } = await serve(folder, answer);
      opened.push(server);
      return url;
    };
    const read = async (urls: readonly string[], hash: string | null = null) => {
      const { source, lines } = open(urls, hash);
      return { signatures: signaturesOf(await readHistory(source, RANGE)), lines };
    };
    /** A mirror on which the file differs. */
    const changed = (name: string, change: (bytes: Buffer) => Buffer) => {
      const folder = copy();
      writeFileSync(join(folder, name), change(readFileSync(join(folder, name))));
      return folder;
    };
    const flip = (bytes: Buffer) => {
      const flipped = Buffer.from(bytes);
      flipped[flipped.length >> 1] ^= 1;
      return flipped;
    };
    const onManifest = (change: (json: Record<string, unknown>) => object) =>
      changed('manifest.json', (bytes) => Buffer.from(JSON.stringify(change(JSON.parse(bytes.toString())))));
    const onChunk = (answer: RequestListener): RequestListener => {
      return (request, response) => {
        if (request.url === `/${chunk}`) answer(request, response);
      };
    };

    it('reads a folder, and the manifest that is asked for', async () => {
      expect((await read([urlOf(good)])).signatures).toEqual(SIGNATURES);
      expect((await read([await mirror(null)], sha256)).signatures).toEqual(SIGNATURES);
      await expect(read([urlOf(good)], 'f'.repeat(64))).rejects.toThrow(/cannot read .*manifest-f+\.json/);
      const other = changed(`manifest-${sha256}.json`, flip);
      await expect(read([urlOf(other)], sha256)).rejects.toThrow(/its SHA-256 is \w+ instead of/);
    });

    it.each<[string, () => Promise<string>, RegExp]>([
      ['a byte was changed', async () => mirror(null, changed(chunk, flip)), /its SHA-256 is \w{64} instead of \w{64}/],
      [
        'it was cut off',
        async () =>
          mirror(
            null,
            changed(chunk, (bytes) => bytes.subarray(0, 99)),
          ),
        /its SHA-256 is/,
      ],
      [
        'it is longer',
        async () =>
          mirror(
            null,
            changed(chunk, (b) => Buffer.concat([b, b])),
          ),
        /is larger than the/,
      ],
      ['it is missing', async () => mirror(onChunk((_, response) => response.writeHead(404).end())), /HTTP 404/],
      [
        'it is a page of HTML',
        async () => mirror(onChunk((_, r) => r.setHeader('content-type', 'text/html; charset=utf-8').end('<html>'))),
        /answers with a page of HTML instead of/,
      ],
      [
        'the server decompresses it for browsers',
        async () => mirror(onChunk((_, response) => response.setHeader('content-encoding', 'gzip'))),
        /serve files as they are/,
      ],
    ])('names a chunk, fetches it again, and takes it from the next mirror: %s', async (_, bad, reason) => {
      const { signatures, lines } = await read([await bad(), urlOf(good)]);
      expect(signatures).toEqual(SIGNATURES);
      const refused = lines.filter(({ msg }) => msg === 'a mirror of a snapshot has not given a file');
      expect(refused).toHaveLength(2);
      for (const line of refused) {
        expect(line.reason).toMatch(reason);
        expect(line.reason).toContain(chunk);
      }
    });

    it('ends with the name of a chunk that no mirror has', async () => {
      const bad = [changed(chunk, flip), changed(chunk, flip)].map(urlOf);
      await expect(read(bad)).rejects.toMatchObject({
        code: 'history-answer',
        message: expect.stringContaining(chunk),
      });
    });

    it('refuses a chunk whose hash is right and whose contents are not', async () => {
      const text = gzipSync('{"slot":1}\n');
      const folder = changed(chunk, () => text);
      const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json')).toString()) as {
        chunks: SnapshotChunk[];
      };
      const entry = manifest.chunks.filter(({ name }) => name === chunk)[0];
      Object.assign(entry, { sha256: sha256Of(text), bytes: text.length });
      writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
      await expect(read([urlOf(folder)])).rejects.toThrow(
        `${chunk} is no chunk of a snapshot: it has a line that begins`,
      );
    });

    it('waits for a mirror that is away, and follows redirects', async () => {
      let refusals = 2;
      const busy = await mirror((_, response) => {
        if (refusals-- > 0) response.writeHead(503).end();
      });
      expect((await read([busy])).signatures).toEqual(SIGNATURES);
      const moved = await mirror((request, response) => {
        response.writeHead(302, { location: `${busy}${request.url ?? ''}` }).end();
      });
      expect((await read([moved])).signatures).toEqual(SIGNATURES);
    });

    it.each<[string, () => string | Promise<string>, RegExp]>([
      ['an empty folder', () => urlOf(newFolder()), /no mirror has a snapshot .*cannot read .*manifest\.json/],
      [
        'a web site',
        () => mirror((_, response) => response.end('<!doctype html>')),
        /is no snapshot: its manifest\.json is no JSON \(a page of HTML or XML\)/,
      ],
      ['other JSON', () => urlOf(onManifest(() => ({ hello: 1 }))), /its manifest\.json is of something else/],
      [
        'another version',
        () => urlOf(onManifest((json) => ({ ...json, version: 2 }))),
        /of version 2, and this Fresnel reads version 1: use the Fresnel that made it \(test\)/,
      ],
      [
        'a gap between chunks',
        () => urlOf(onManifest((json) => ({ ...json, chunks: (json.chunks as object[]).slice(1) }))),
        /the manifest\.json of .* is damaged: slots-.* does not begin at slot \d+/,
      ],
      [
        'a name that leads out of the folder',
        () => urlOf(onManifest((json) => ({ ...json, chunks: [{ ...(json.chunks as object[])[0], name: '../x' }] }))),
        /is damaged: "\.\.\/x" is no name of a chunk/,
      ],
      ['a truncated manifest', () => urlOf(changed('manifest.json', (b) => b.subarray(0, 200))), /is no JSON/],
    ])('refuses %s', async (_, url, message) => {
      await expect(read([await url()])).rejects.toMatchObject({
        code: 'history-refused',
        message: expect.stringMatching(message),
      });
    });

    it('reads nothing beyond its last block', async () => {
      const { source } = open([urlOf(good)]);
      await expect(readHistory(source, [RANGE[0], RANGE[1] + 1])).rejects.toThrow(`ends at slot ${RANGE[1]}`);
      expect(await source.findExtent(new AbortController().signal)).toMatchObject({
        from: RANGE[0],
        genesisHash: 'genesis',
      });
    });
  });
});
