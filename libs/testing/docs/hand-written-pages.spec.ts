import { posix } from 'node:path';
import { readHandWrittenPages } from './hand-written-pages';
import { findRepeatedParagraphs } from './repeated-paragraphs';

const README_BYTES = 10_000;

const SENTENCE = 'Redis is loaded from the journal in Postgres, and Kafka is filled from the chain.';

const pages = readHandWrittenPages();

describe('the hand-written pages', () => {
  it('repeat no paragraph of each other', () => {
    expect(pages.size).toBeGreaterThan(0);
    expect(findRepeatedParagraphs(pages)).toEqual(new Map());
  });

  it('are all in the index of docs, or in that of the runbooks', () => {
    const indexes = ['docs/README.md', 'docs/runbooks/README.md'];
    const listed = indexes.flatMap((index) => {
      return [...(pages.get(index) ?? '').matchAll(/\]\(([^)#]+)/g)].map(([, link]) => {
        return posix.join(posix.dirname(index), link);
      });
    });
    const others = [...pages.keys()].filter((path) => path.startsWith('docs/') && !indexes.includes(path));
    expect(others.filter((path) => !listed.includes(path))).toEqual([]);
  });

  it('begin with a README of a few minutes', () => {
    expect(Buffer.byteLength(pages.get('README.md') ?? '')).toBeLessThanOrEqual(README_BYTES);
  });
});

describe('findRepeatedParagraphs', () => {
  it('finds paragraphs, items and rows, however they are wrapped', () => {
    const words = SENTENCE.split(' ');
    const wrapped = `${words.slice(0, 5).join(' ')}\n  ${words.slice(5).join(' ')}`;
    const row = '| `ingest`   | the chain and in Kafka the ends of both topics |';
    const pages = new Map([
      ['a.md', `# A\n\nIntroduction.\n\n- ${SENTENCE}\n- Other.\n\n${row}`],
      ['b.md', `# B\n\n- Other.\n- ${wrapped}\n- More.\n\n${row.replace(/ {2,}/g, ' ')}`],
      ['c.md', `${SENTENCE} In this page more follows.`],
    ]);
    expect([...findRepeatedParagraphs(pages).values()]).toEqual([
      ['a.md', 'b.md'],
      ['a.md', 'b.md'],
    ]);
  });

  it('ignores commands, and repetitions within a page', () => {
    const command = `\`\`\`sh\n${SENTENCE}\n\`\`\``;
    const pages = new Map([
      ['a.md', `${command}\n\n${SENTENCE}\n\n${SENTENCE}`],
      ['b.md', command],
    ]);
    expect(findRepeatedParagraphs(pages)).toEqual(new Map());
  });
});
