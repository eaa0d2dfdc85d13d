// Puts the OpenAPI document that the built service answers beside it, for who wants it without a service.
import { writeFileSync } from 'node:fs';
import { openApiDocument } from '../dist/backend/openapi/document.js';

writeFileSync(new URL('../dist/openapi.json', import.meta.url), `${JSON.stringify(openApiDocument(), null, 2)}\n`);
