import { describe, expectTypeOf, it } from 'vitest';
import type * as z from 'zod/mini';
import type * as conflict from '../../src/protocol/conflict.js';
import type * as messages from '../../src/protocol/messages.js';
import type * as player from '../../src/protocol/player-messages.js';
import type * as problems from '../../src/protocol/problem.js';

/** What a schema reads. */
type Read<Schema extends z.ZodMiniType> = z.infer<Schema>;

describe('an interface that is written out has the form that its schema reads', () => {
  it('of an entry and an answer to an authentication', () => {
    expectTypeOf<Read<typeof messages.profileEntry>>().toEqualTypeOf<messages.ProfileEntry>();
    expectTypeOf<Read<typeof messages.authAnswer>>().toEqualTypeOf<messages.AuthAnswer>();
  });

  it('of a conflict and its parts', () => {
    expectTypeOf<Read<typeof conflict.conflictField>>().toEqualTypeOf<conflict.ConflictField>();
    expectTypeOf<Read<typeof conflict.shownField>>().toEqualTypeOf<conflict.ShownField>();
    expectTypeOf<Read<typeof conflict.conflictSide>>().toEqualTypeOf<conflict.ConflictSide>();
    expectTypeOf<Read<typeof conflict.conflictDifference>>().toEqualTypeOf<conflict.ConflictDifference>();
    expectTypeOf<Read<typeof conflict.conflictSides>>().toEqualTypeOf<conflict.ConflictSides>();
  });

  it('of an account and what becomes of it', () => {
    expectTypeOf<Read<typeof player.linkedMethod>>().toEqualTypeOf<player.LinkedMethod>();
    expectTypeOf<Read<typeof player.accountAnswer>>().toEqualTypeOf<player.AccountAnswer>();
    expectTypeOf<Read<typeof player.deletionAnswer>>().toEqualTypeOf<player.DeletionAnswer>();
    expectTypeOf<Read<typeof player.placedEntry>>().toEqualTypeOf<player.PlacedEntry>();
    expectTypeOf<Read<typeof player.peekAnswer>>().toEqualTypeOf<player.PeekAnswer>();
    expectTypeOf<Read<typeof player.snapshotSummary>>().toEqualTypeOf<player.SnapshotSummary>();
  });

  it('of a problem', () => {
    expectTypeOf<Read<typeof problems.problem>>().toEqualTypeOf<problems.Problem>();
  });
});
