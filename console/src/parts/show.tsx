/** How single values are shown. What players wrote stands in `<bdi>`, so that its direction stays its own. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useConsole, useTexts } from '../context.js';
import { numberFormat, relativeFormat, timeFormat } from '../formats.js';
import { visible } from './visible.js';

/** A text of a player's: in its own direction, and with signs in sight that nobody would see. */
export function Foreign({ text }: { text: string }) {
  return <bdi class="foreign">{visible(text)}</bdi>;
}

export function Code({ text }: { text: string }) {
  return (
    <code>
      <bdi>{visible(text)}</bdi>
    </code>
  );
}

/** A moment by the service's clock, in the reader's zone; its title has it in UTC. */
export function Moment({ at, hasSeconds = false }: { at: number; hasSeconds?: boolean }) {
  const { language } = useConsole();
  const iso = isoOf(at);
  const timeStyle = hasSeconds ? 'medium' : 'short';
  const text = timeFormat(language, { dateStyle: 'medium', timeStyle }).format(at);
  return (
    <time dateTime={iso} title={iso}>
      {text}
    </time>
  );
}

/** How long ago, or in how long, roughly, by the service's clock. */
export function Ago({ at }: { at: number }) {
  const { language, clockOffset } = useConsole();
  const iso = isoOf(at);
  return (
    <time dateTime={iso} title={iso}>
      {relative(at - Date.now() - clockOffset, language)}
    </time>
  );
}

function isoOf(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? String(at) : date.toISOString();
}

const steps = [
  ['year', 31_536_000_000],
  ['month', 2_592_000_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

function relative(ms: number, language: string): string {
  const [unit, size] = steps.find(([, length]) => Math.abs(ms) >= length) ?? ['second', 1_000];
  return relativeFormat(language).format(Math.round(ms / size), unit);
}

const byteUnits = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

export function bytesText(bytes: number, language: string): string {
  const power = Math.min(byteUnits.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  return numberFormat(language, {
    style: 'unit',
    unit: byteUnits[power] as string,
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: power === 0 ? 0 : 1,
  }).format(bytes / 1000 ** power);
}

export function Bytes({ of }: { of: number }) {
  return <>{bytesText(of, useConsole().language)}</>;
}

export function Count({ of }: { of: number }) {
  return <>{numberFormat(useConsole().language).format(of)}</>;
}

export type Tone = 'plain' | 'good' | 'warn' | 'bad';

export function Badge({ tone = 'plain', children }: { tone?: Tone; children: ComponentChildren }) {
  return <span class={`badge badge-${tone}`}>{children}</span>;
}

/** That there is nothing, and what to do about it. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children !== undefined && <div class="soft">{children}</div>}
    </div>
  );
}

/** Puts a text on the clipboard. Where a page may not (plain HTTP from another machine), it says so. */
export function Copy({
  text,
  label,
  children,
}: {
  /** A text, or what makes it once somebody wants it. */
  text: string | (() => string);
  label?: string;
  children?: ComponentChildren;
}) {
  const { announce } = useConsole();
  const texts = useTexts();
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    const done = await (async () => navigator.clipboard.writeText(typeof text === 'string' ? text : text()))().then(
      () => true,
      () => false,
    );
    setCopied(done);
    announce(done ? texts.common.copied : texts.common.notCopied);
  };
  return (
    <button type="button" class="small" aria-label={label} onClick={() => void copy()} onBlur={() => setCopied(false)}>
      {isCopied ? texts.common.copiedShort : (children ?? texts.common.copy)}
    </button>
  );
}

/** Text to paste. */
export function Paste({ title, text, children }: { title: string; text: string; children?: ComponentChildren }) {
  const texts = useTexts();
  return (
    <div class="paste">
      <div class="paste-bar">
        <h3>{title}</h3>
        <Copy text={text} label={`${texts.common.copy}: ${title}`} />
      </div>
      {children !== undefined && <div class="paste-note soft">{children}</div>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it with the keys. */}
      <pre tabIndex={0}>
        <code>
          <bdi>{text}</bdi>
        </code>
      </pre>
    </div>
  );
}

/** A UUID, short where there is little room; the whole of it can be copied. */
export function Id({ id }: { id: string }) {
  return (
    <code class="id" title={id}>
      {id}
    </code>
  );
}
