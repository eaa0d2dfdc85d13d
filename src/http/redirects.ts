/**
 * Whether an answer leads elsewhere: what a request carries is for one address, so that it is sent with `manual` and
 * nobody follows. workerd makes no request with `error`; browsers show nothing of such an answer but its type.
 */
export function isRedirect({ status, type }: Response): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status < 400);
}
