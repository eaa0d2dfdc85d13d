import type { TimelineEvent, TimelineKind } from '../../../../src/protocol/admin-timeline.js';
import { useConsole, useTexts } from '../../context.js';
import { Ago, Badge, Bytes, Code, Foreign, Id, Moment, type Tone } from '../../parts/show.js';
import { Details } from '../audit.js';

const tones: { readonly [kind in TimelineKind]?: Tone } = {
  conflict: 'warn',
  chosen: 'good',
  kept: 'warn',
  undone: 'good',
  orphaned: 'bad',
  deleted: 'bad',
};

/** What kind of event it is, in a word. */
export function EventBadge({ kind }: { kind: TimelineKind }) {
  return <Badge tone={tones[kind] ?? 'plain'}>{useTexts().timeline.kinds[kind]}</Badge>;
}

/** What happened, in a sentence and with what there is to know of it. */
export function EventStory({ event, userId }: { event: TimelineEvent; userId: string }) {
  const { texts } = useConsole();
  const { timeline } = texts;
  const methods: { readonly [method: string]: string } = texts.methods;
  switch (event.kind) {
    case 'made':
      return <>{timeline.made}</>;
    case 'linked':
      return (
        <>
          {timeline.linked(methods[event.method] ?? event.method)}
          {event.label !== undefined && <Foreign text={event.label} />}
          {event.subject !== undefined && <Code text={event.subject} />}
          {event.device !== undefined && <Id id={event.device} />}
        </>
      );
    case 'signed_in':
      return (
        <>
          {timeline.signedIn(methods[event.method] ?? event.method)} <Id id={event.device} />
          <span class="soft">
            {texts.player.ends} <Ago at={event.expiresAt} />
          </span>
        </>
      );
    case 'conflict':
      return (
        <>
          {timeline.conflict(methods[event.method] ?? event.method)}
          <OtherPlayer id={event.localUserId === userId ? event.cloudUserId : event.localUserId} />
          <span class="soft">
            {texts.common.until} <Moment at={event.expiresAt} />
          </span>
        </>
      );
    case 'chosen':
      return (
        <>
          {timeline.chosen[event.choice]} <OtherPlayer id={event.fromUserId} />
          {event.snapshot !== undefined && <Size {...event.snapshot} />}
        </>
      );
    case 'kept':
      return <Kept {...event} />;
    case 'undone':
      return (
        <>
          {timeline.undone} <Size {...event.snapshot} />
        </>
      );
    case 'written':
      return (
        <>
          {timeline.written}
          <span>
            <Foreign text={event.entry.collection} /> / <Foreign text={event.entry.key} />
          </span>
          <span class="soft">
            {texts.saves.version(event.entry.version)}, <Bytes of={event.entry.bytes} />
          </span>
        </>
      );
    case 'operator':
      return <Deed {...event} />;
    case 'orphaned':
      return (
        <>
          {timeline.orphaned} <Removed {...event} />
        </>
      );
    case 'deleted':
      return (
        <>
          {timeline.deleted[event.by]} <Removed {...event} />
        </>
      );
  }
}

function OtherPlayer({ id }: { id: string }) {
  const { href } = useConsole();
  return (
    <a href={href(['players', id])}>
      <Id id={id} />
    </a>
  );
}

function Kept({ snapshot }: Extract<TimelineEvent, { kind: 'kept' }>) {
  const { texts } = useConsole();
  const reasons: { readonly [reason: string]: string } = texts.timeline.kept;
  return (
    <>
      {reasons[snapshot.reason] ?? snapshot.reason} <Size {...snapshot} />
    </>
  );
}

function Size({ entries, bytes }: { entries: number; bytes: number }) {
  const texts = useTexts();
  return (
    <span class="soft">
      {texts.snapshots.entries(entries)}, <Bytes of={bytes} />
    </span>
  );
}

function Deed({ deed }: Extract<TimelineEvent, { kind: 'operator' }>) {
  const texts = useTexts();
  const actions: { readonly [action: string]: string } = texts.audit.actions;
  return (
    <>
      <span>
        <Foreign text={deed.by.name} /> {actions[deed.action] ?? deed.action}
      </span>
      <Details entry={deed} />
    </>
  );
}

function Removed({ removedAt }: { removedAt: number }) {
  const texts = useTexts();
  return (
    <span class="soft">
      {texts.player.removedAt} <Moment at={removedAt} />
    </span>
  );
}
