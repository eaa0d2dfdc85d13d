import { useState } from 'preact/hooks';
import { useConsole } from '../context.js';
import { timeFormat } from '../formats.js';
import { once, useModule } from './loaded.js';

const loadChart = once(() => import('./chart.js'));

export interface Series {
  label: string;
  /** The name of the style's variable that has its colour. */
  colour: '--accent' | '--second' | '--bad';
  values: readonly (number | null)[];
}

export interface ChartProps {
  /** When each value was, in ms since 1970. */
  times: readonly number[];
  series: readonly Series[];
  /** Whether each value is of a day in UTC. */
  isDays?: boolean | undefined;
  language: string;
}

/** A chart with its legend, and the same as a table for whoever does not see it. */
export function Figure({ title, times, series, isDays = false }: Omit<ChartProps, 'language'> & { title: string }) {
  const { language, texts } = useConsole();
  const [isTableOpen, setTableOpen] = useState(false);
  const drawn = useModule(loadChart).value;
  const format = timeFormat(language, isDays ? { dateStyle: 'medium', timeZone: 'UTC' } : { timeStyle: 'medium' });
  const latest = times.length === 0 ? [] : times.map((at, index) => ({ at, index })).reverse();
  return (
    <figure class="figure">
      <figcaption>
        <span class="figure-title">{title}</span>
        <span class="legend">
          {series.map(({ label, colour }) => (
            <span key={label}>
              <span class={`swatch swatch${colour}`} aria-hidden="true" />
              {label}
            </span>
          ))}
        </span>
      </figcaption>
      {drawn === undefined ? (
        <div class="chart" />
      ) : (
        <drawn.Chart times={times} series={series} isDays={isDays} language={language} />
      )}
      <details onToggle={({ currentTarget }) => setTableOpen(currentTarget.open)}>
        <summary>
          {texts.common.asTable}
          <span class="unseen">: {title}</span>
        </summary>
        <div class="table-frame figure-table">
          <table>
            <thead>
              <tr>
                <th scope="col">{texts.common.time}</th>
                {series.map(({ label }) => (
                  <th key={label} scope="col" class="number">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {(isTableOpen ? latest.slice(0, 60) : []).map(({ at, index }) => (
                <tr key={at}>
                  <th scope="row">{format.format(at)}</th>
                  {series.map(({ label, values }) => (
                    <td key={label} class="number">
                      {values[index] ?? '–'}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}
