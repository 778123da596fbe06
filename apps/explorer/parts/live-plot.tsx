import { useEffect, useRef } from 'react';
import uPlot from 'uplot';

export interface Point {
  /** Unix time in seconds. */
  at: number;
  value: number | null;
}

const HEIGHT = 110;
const LINE_WIDTH = 2;
const CHARACTER_WIDTH = 8;
const MARGIN = 12;
/** A plot that has just begun spans this time. */
const MIN_SPAN_SECONDS = 60;

/** Asked whenever the plot is drawn: the theme may change. */
const color = (name: string) => () =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim() || 'gray';

/** A line that grows to the right. The number beside it says the same to those who do not see it. */
export function LivePlot({ points, isFromZero }: { points: readonly Point[]; isFromZero: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const width = () => Math.max(element.clientWidth, 1);
    const created = new uPlot(
      {
        width: width(),
        height: HEIGHT,
        padding: [MARGIN, LINE_WIDTH, MARGIN, 0],
        legend: { show: false },
        cursor: { show: false },
        scales: {
          x: { range: (_, min, max) => [Math.min(min, max - MIN_SPAN_SECONDS), max] },
          y: { range: (_, min, max) => (isFromZero ? [0, Math.max(max * 1.1, 1)] : [min - 1, max + 1]) },
        },
        axes: [
          { show: false },
          {
            stroke: color('--pico-muted-color'),
            grid: { stroke: color('--pico-muted-border-color') },
            ticks: { show: false },
            size: (_, labels: string[] | null) =>
              MARGIN + CHARACTER_WIDTH * Math.max(0, ...(labels ?? []).map((text) => text.length)),
            space: HEIGHT / 4,
            // Slots are whole numbers.
            ...(!isFromZero && { incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 10_000, 100_000, 1_000_000] }),
          },
        ],
        series: [{}, { stroke: color('--pico-primary'), width: LINE_WIDTH, points: { show: false } }],
      },
      [[], []],
      element,
    );
    plot.current = created;
    const observer = new ResizeObserver(() => {
      created.setSize({ width: width(), height: HEIGHT });
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      created.destroy();
      plot.current = null;
    };
  }, [isFromZero]);
  useEffect(() => {
    plot.current?.setData([points.map(({ at }) => at), points.map(({ value }) => value)]);
  }, [points]);
  return <div ref={box} className="plot" aria-hidden="true" />;
}
