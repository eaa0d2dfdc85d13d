/** The members of bodies that hold a secret: whoever has it is somebody, or may do something. */
const secretNames = new Set([
  'password',
  'old_password',
  'new_password',
  'code',
  'recoveryCode',
  'token',
  'refresh_token',
  'ticket',
  'device_id',
  'custom_user_id',
  'accessToken',
  'refreshToken',
]);

/** A copy of a body's JSON without secrets. */
export function redacted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(redacted);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, secretNames.has(name) ? '[redacted]' : redacted(member)]),
  );
}
