import { useState } from 'preact/hooks';
import { type OperatorScope, operatorScopes } from '../../../src/protocol/admin-messages.js';
import { useConsole } from '../context.js';
import { Change } from '../parts/change.js';
import { Ready, useLoaded } from '../parts/loaded.js';
import { Page } from '../parts/page.js';
import { Badge, Copy, Empty, Foreign, Moment } from '../parts/show.js';
import { Table } from '../parts/table.js';

/** The operators' keys. */
export function Keys() {
  const { texts, gateway } = useConsole();
  const { admin } = gateway;
  const keys = useLoaded((signal) => admin.listKeys({ signal }), [gateway]);
  return (
    <Page title={texts.pages.keys} intro={texts.keys.intro} actions={<NewKey onMade={keys.reload} />}>
      <Ready of={keys}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty title={texts.keys.none}>{texts.keys.noneHint}</Empty>
          ) : (
            <Table
              label={texts.pages.keys}
              rows={rows}
              keyOf={({ id }) => id}
              columns={[
                { head: texts.keys.name, cell: ({ name }) => <Foreign text={name} /> },
                { head: texts.keys.scope, cell: ({ scope }) => <Badge>{texts.keys.scopes[scope]}</Badge> },
                { head: texts.players.made, cell: ({ createdAt }) => <Moment at={createdAt} /> },
                { head: texts.keys.by, cell: ({ createdBy }) => <Foreign text={createdBy} /> },
                {
                  head: texts.common.actions,
                  cell: ({ id, name }) => (
                    <Change
                      isSmall
                      isDangerous
                      scope="admin"
                      texts={texts.changes.revokeKey}
                      label={`${texts.changes.revokeKey.title}: ${name}`}
                      run={() => admin.revokeKey(id)}
                      onDone={keys.reload}
                    />
                  ),
                },
              ]}
            />
          )
        }
      </Ready>
    </Page>
  );
}

function NewKey({ onMade }: { onMade(): void }) {
  const { texts, gateway } = useConsole();
  const [name, setName] = useState('');
  const [scope, setScope] = useState<OperatorScope>('support');
  return (
    <Change
      scope="admin"
      texts={texts.changes.makeKey}
      isReady={/^[A-Za-z0-9][A-Za-z0-9 ._@-]{0,63}$/.test(name)}
      fields={
        <div class="fields">
          <label>
            {texts.keys.nameHint}
            <input value={name} maxLength={64} required onInput={({ currentTarget }) => setName(currentTarget.value)} />
          </label>
          <fieldset>
            <legend>{texts.keys.scope}</legend>
            {operatorScopes.map((one) => (
              <label key={one} class="choice">
                <input type="radio" name="scope" checked={scope === one} onChange={() => setScope(one)} />
                {texts.keys.scopes[one]}: {texts.keys.allows[one]}
              </label>
            ))}
          </fieldset>
        </div>
      }
      run={async () => {
        const { key } = await gateway.admin.makeKey({ name, scope });
        setName('');
        return (
          <>
            <p class="secret">
              <code>{key}</code> <Copy text={key} label={texts.common.copy} />
            </p>
            <p class="soft">{texts.common.shownOnce}</p>
          </>
        );
      }}
      onDone={onMade}
    />
  );
}
