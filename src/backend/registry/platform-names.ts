import { platformDefaults } from '../../protocol/gaps/platforms.js';

const { min, max } = platformDefaults.platformNameLength;

/** What a name is made of, for people. */
export const platformNameForm = `${min} to ${max} of a-z, 0-9, ".", "_" and "-", the first one a letter or a digit`;

const form = new RegExp(`^[a-z0-9][a-z0-9._-]{${min - 1},${max - 1}}$`);

/** Whether a platform may be registered under a name: what clients write, tables show and addresses carry. */
export function isPlatformName(name: string): boolean {
  return form.test(name);
}
