import { useEffect, useMemo, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { numberFormat, timeFormat } from '../formats.js';
import type { ChartProps } from './figure.js';

/** A chart, drawn on a canvas. What stands in it is in a table beside it as well (`figure.tsx`). */
export function Chart({ times, series, isDays, language }: ChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const data = useMemo(() => dataOf(times, series), [times, series]);
  const latest = useRef(data);
  latest.current = data;

  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const draw = (): void => {
      plot.current?.destroy();
      plot.current = new uPlot(optionsOf(element, { times, series, isDays, language }), latest.current, element);
    };
    // Each chart is a task of its own: the page takes notice of its reader between them.
    const drawing = setTimeout(draw);
    const watch = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height }));
    watch.observe(element);
    addEventListener('themechange', draw);
    return () => {
      clearTimeout(drawing);
      watch.disconnect();
      removeEventListener('themechange', draw);
      plot.current?.destroy();
      plot.current = null;
    };
  }, [series.map(({ label }) => label).join(), isDays, language]);

  useEffect(() => plot.current?.setData(data), [data]);
  return <div ref={frame} class="chart" aria-hidden="true" />;
}

const height = 180;

/** Between the lines of the axis: nobody counts players in halves. */
const wholeSteps = Array.from({ length: 10 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();

/** The values beside which there is none: no line leads to them, so that they are drawn as points. */
const isolated = (plot: uPlot, series: number): number[] =>
  [...(plot.data[series] ?? [])].flatMap((value, index, all) =>
    value != null && all[index - 1] == null && all[index + 1] == null ? [index] : [],
  );

function dataOf(times: ChartProps['times'], series: ChartProps['series']): uPlot.AlignedData {
  return [times.map((at) => at / 1000), ...series.map(({ values }) => [...values])];
}

function optionsOf(element: HTMLElement, { series, isDays, language }: ChartProps): uPlot.Options {
  const style = getComputedStyle(element);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  const font = `12px ${style.fontFamily}`;
  const axis = { stroke: colour('--soft'), font, grid: { stroke: colour('--line'), width: 1 }, ticks: { show: false } };
  const format = timeFormat(
    language,
    isDays === true ? { day: 'numeric', month: 'short', timeZone: 'UTC' } : { hour: '2-digit', minute: '2-digit' },
  );
  return {
    width: element.clientWidth,
    height,
    // The last day of a month stands half beyond the axis.
    padding: [8, 24, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { size: 6 }, drag: { x: false, y: false } },
    scales: { y: { range: (_, __, max) => [0, Math.max(4, max * 1.1)] } },
    axes: [
      { ...axis, size: 28, space: 70, values: (_, ticks) => ticks.map((at) => format.format(at * 1000)) },
      {
        ...axis,
        size: 44,
        incrs: wholeSteps,
        values: (_, ticks) => ticks.map((tick) => numberFormat(language, { notation: 'compact' }).format(tick)),
      },
    ],
    series: [
      {},
      ...series.map(({ label, colour: name }) => ({
        label,
        stroke: colour(name),
        width: 2,
        fill: `${colour(name)}1f`,
        points: { show: false, size: 5, fill: colour(name), filter: isolated },
      })),
    ],
  };
}
