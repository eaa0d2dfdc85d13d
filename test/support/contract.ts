import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** A request and its answer as they crossed a door. */
export interface Crossing {
  method: string;
  url: string;
  headers: Headers;
  body: string | Uint8Array | null | undefined;
  status: number;
  answerHeaders: Headers;
  answer: string;
}

const problem = ['components', 'schemas', 'Problem'];

// biome-ignore lint/suspicious/noExplicitAny: a document is looked into by name.
type Node = any;

/** Lets every request and answer be looked at on its way through a door. */
export function watchedFetch<Rest extends unknown[]>(
  fetch: (request: Request, ...rest: Rest) => Promise<Response>,
  look: (crossing: Crossing) => void,
): (request: Request, ...rest: Rest) => Promise<Response> {
  return async (request, ...rest) => {
    const body = await request.clone().text();
    const response = await fetch(request, ...rest);
    const answer = await response.clone().text();
    const { method, url, headers } = request;
    look({ method, url, headers, body, status: response.status, answerHeaders: response.headers, answer });
    return response;
  };
}

export interface Contract {
  /** What in the crossing the document does not have. */
  problemsOf(crossing: Crossing): string[];
  /** The operations that have succeeded so far. */
  succeeded: ReadonlySet<string>;
}

/**
 * Holds requests and answers against an OpenAPI document. It knows nothing of the service but that: the schemas are read by
 * ajv, not by zod. An answer must not have members that the document does not name. A request that was refused may be
 * anything, unless `looksAtRefused` says otherwise.
 */
export function createContract(document: Node, { looksAtRefused = false } = {}): Contract {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
  ajv.addSchema(structuredClone(document), 'open');
  ajv.addSchema(closed(document), 'closed');
  const compiled = new Map<string, ValidateFunction>();
  const succeeded = new Set<string>();

  function check(what: string, pointer: string[], value: unknown, kind = 'open'): string[] {
    const path = pointer.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
    const id = `${kind}#/${path}`;
    const validate = compiled.get(id) ?? ajv.compile({ $ref: id });
    compiled.set(id, validate);
    if (validate(value)) return [];
    return [`${what}: ${ajv.errorsText(validate.errors)}`];
  }

  function operationOf({ method, url }: Crossing) {
    const path = new URL(url).pathname.replace(/(.)\/$/, '$1').split('/');
    for (const [template, item] of Object.entries<Node>(document.paths)) {
      const parts = template.split('/');
      const fits = parts.every((part, at) => part === path[at] || (part.startsWith('{') && path[at]));
      if (!fits || parts.length !== path.length) continue;
      const name = (method === 'HEAD' ? 'GET' : method).toLowerCase();
      const values = new Map(parts.map((part, at) => [part.slice(1, -1), path[at] ?? '']));
      return { template, name, operation: item[name], values };
    }
    return null;
  }

  function problemsOf(crossing: Crossing): string[] {
    const { status, answer, method } = crossing;
    const found = operationOf(crossing);
    if (method === 'OPTIONS' && status === 204) return answer === '' ? [] : ['a preflight with a body'];
    if (method === 'OPTIONS' && status === 403) return check('answer', problem, JSON.parse(answer), 'closed');
    if (found?.operation === undefined) {
      const expected = found === null ? 404 : 405;
      if (status !== expected) return [`${status} where nothing is documented: not ${expected}`];
      return method === 'HEAD' ? [] : check('answer', problem, JSON.parse(answer), 'closed');
    }
    const { template, name, operation, values } = found;
    const documented = operation.responses[status];
    if (documented === undefined) return [`${operation.operationId} has no ${status}: ${answer.slice(0, 200)}`];
    const problems = answerProblems(crossing, documented, ['paths', template, name, 'responses', String(status)]);
    if (status < 300) succeeded.add(operation.operationId);
    if (status < 300 || looksAtRefused) {
      problems.push(...requestProblems(crossing, operation, ['paths', template, name], values));
    }
    return problems.map((problem) => `${operation.operationId} ${status}, ${problem}`);
  }

  function answerProblems({ method, answer, answerHeaders }: Crossing, documented: Node, pointer: string[]): string[] {
    const missing = ['X-Request-Id'].filter((header) => !answerHeaders.has(header)).map((header) => `no ${header}`);
    if (documented.content === undefined) return answer === '' ? missing : ['a body where there is none'];
    const type = answerHeaders.get('content-type') ?? '';
    if (documented.content[type] === undefined) return [`the content type ${type}`];
    if (method === 'HEAD') return answer === '' ? missing : ['a body on HEAD'];
    const schema = [...pointer, 'content', type, 'schema'];
    const value: unknown = JSON.parse(answer);
    return [...missing, ...check('answer', schema, value), ...check('closed answer', schema, value, 'closed')];
  }

  function requestProblems(
    { url, headers, body }: Crossing,
    operation: Node,
    pointer: string[],
    values: Map<string, string>,
  ): string[] {
    const problems: string[] = [];
    const query = new URL(url).searchParams;
    (operation.parameters ?? []).forEach((parameter: Node, at: number) => {
      const { name, required, schema } = parameter;
      const places: { [place: string]: () => string | null } = {
        path: () => decodeURIComponent(values.get(name) ?? ''),
        query: () => query.get(name),
        header: () => headers.get(name),
      };
      const text = places[parameter.in]?.() ?? null;
      if (text === null) {
        if (required) problems.push(`no ${name}`);
        return;
      }
      const value = schema.type === 'integer' ? Number(text) : text;
      problems.push(...check(name, [...pointer, 'parameters', String(at), 'schema'], value));
    });
    const needsToken =
      operation.security.length > 0 && operation.security.every((one: Node) => !isSigned(one) && !isFree(one));
    if (needsToken && !headers.has('authorization')) problems.push('no authorization');
    if (operation.requestBody === undefined) {
      const size = typeof body === 'string' ? body.length : (body?.byteLength ?? 0);
      if (size > 0) problems.push('a request body where there is none');
    } else {
      const text = typeof body === 'string' ? body : new TextDecoder().decode(body ?? new Uint8Array());
      const schema = [...pointer, 'requestBody', 'content', 'application/json', 'schema'];
      problems.push(...check('request', schema, JSON.parse(text)));
    }
    return problems;
  }

  return { problemsOf, succeeded };
}

const isFree = (requirement: object): boolean => Object.keys(requirement).length === 0;
const isSigned = (requirement: object): boolean => 'signature' in requirement;

/** The same document, but that an object has no other members than those that are named. */
function closed(node: Node): Node {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== 'object' || node === null) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([name, member]) => [name, closed(member)]));
  const isObject = copy['type'] === 'object' && typeof copy['properties'] === 'object';
  return isObject ? { additionalProperties: false, ...copy } : copy;
}
