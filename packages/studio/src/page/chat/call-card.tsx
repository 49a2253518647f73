import { useState } from 'preact/hooks'
import type { RunView } from '../api/run-view.js'
import { formatMs, oneLine } from '../model/format.js'
import { sourceOf, writtenSource } from '../model/rows.js'
import type { CallNode } from '../model/run-nodes.js'
import { parsed } from '../model/values.js'
import { JsonView } from '../parts/json-view.js'
import { Media } from '../parts/media.js'
import { Source } from '../parts/source.js'
import { StateWord } from '../parts/state-word.js'
import { toAddress } from '../shell/route.js'

/** Shows a call on one line, with its artifacts below. The line expands to show the call's arguments and result. */
export function CallCard({ call, view }: { readonly call: CallNode; readonly view: RunView }) {
  // The node changes in place. Reading the revision makes this render again.
  view.revision.value
  const [isOpen, setOpen] = useState(false)
  const given = call.arguments ?? call.argumentsText
  const [source, written] = [sourceOf(call), writtenSource(call)]
  return (
    <div class="call">
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <b>{call.name}</b> <code class="call-arguments">{oneLine(written ?? given, 100)}</code>
          <span class="spacer" />
          <StateWord status={call.status} />
          {call.ms !== undefined ? <span class="soft">{formatMs(call.ms)}</span> : null}
        </summary>
        {isOpen ? (
          <div class="call-body">
            <h2 class="small">{source === undefined ? 'Arguments' : 'Program'}</h2>
            {written === undefined ? <JsonView value={parsed(given)} run={view.id} /> : null}
            {source === undefined ? null : <Source text={source} />}
            {call.isProgram
              ? call.children.map((child) =>
                  child.kind === 'call' ? <CallCard key={child.id} call={child} view={view} /> : null,
                )
              : null}
            {call.content !== undefined ? <h2 class="small">Result</h2> : null}
            {call.content !== undefined ? <JsonView value={parsed(call.content)} run={view.id} /> : null}
            <p>
              <a href={toAddress(['runs', view.id], { row: call.id })}>Open in the run</a>
            </p>
          </div>
        ) : null}
      </details>
      {call.status === 'running' && call.progress.length > 0 ? (
        <p class="soft">{oneLine(call.progress.at(-1), 160)}</p>
      ) : null}
      {call.status === 'error' || call.status === 'denied' ? (
        <p class="problem">{oneLine(call.content, 300)}</p>
      ) : null}
      {call.artifacts.map((artifact) => (
        <Media key={artifact.id} artifact={artifact} />
      ))}
    </div>
  )
}
