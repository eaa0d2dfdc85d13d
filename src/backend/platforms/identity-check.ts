import { checkIdentity, createIdentityProvider, type IdentityProviderOptions } from '../providers/identity-tokens.js';
import type { PlatformCheck } from './preset.js';
import { createTokenCheck, tokenSteps } from './token-check.js';

const { form, issuer, algorithm, key, signature, audience, time, player } = tokenSteps;

/** Checks the ID tokens of one OpenID provider, as `identityProviders` does. */
export function createIdentityCheck(title: string, options: IdentityProviderOptions): PlatformCheck {
  const provider = createIdentityProvider(options);
  const steps = { form, issuer, algorithm, key, signature, audience, time, player };
  const check = createTokenCheck(title, steps, async (token, now) => {
    const identity = await checkIdentity([provider], token, now);
    return { id: identity.subject, issuer: identity.issuer };
  });
  return { ...check, issuers: [provider.issuer, ...provider.issuerAliases] };
}
