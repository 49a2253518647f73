import { useEffect, useRef } from 'preact/hooks'
import type { Exchange, ExchangeNote } from '../../types.js'
import { bytesAddress } from '../api/client.js'
import { viewOf } from '../api/state.js'
import { type Piece, piecesOf } from '../model/exchange-text.js'
import { formatBytes, formatMs, plural } from '../model/format.js'
import { prettyJson } from '../model/json-tokens.js'
import type { StepNode } from '../model/run-nodes.js'
import { isSame } from '../model/values.js'
import { Icon } from '../parts/icons.js'
import { JsonText, JsonView } from '../parts/json-view.js'
import { Tabs } from '../parts/tabs.js'
import { route, setQuery } from '../shell/route.js'
import type { Loaded } from './bytes.js'
import { Headers } from './headers.js'

interface AnswerSideProps {
  readonly run: string
  readonly exchange: Exchange
  readonly bytes: Loaded
}

export function AnswerSide({ run, exchange, bytes }: AnswerSideProps) {
  const pieces = bytes.bytes ? piecesOf(exchange, bytes.bytes) : undefined
  const wait = (
    <p class={bytes.error ? 'bad' : 'soft'}>
      {bytes.error ??
        (exchange.response
          ? 'Loading …'
          : exchange.endedAt === undefined
            ? 'The response is still arriving.'
            : 'No response arrived.')}
    </p>
  )
  const text = pieces?.map((piece) => piece.text).join('')
  return (
    <>
      <Tabs
        label="The response"
        open={route.value.query['answer']}
        onOpen={(tab) => setQuery({ answer: tab })}
        tabs={[
          {
            id: 'pieces',
            title: 'Response, raw',
            count: exchange.pieces.length,
            content: () => (pieces ? <Pieces pieces={pieces} notes={exchange.notes} /> : wait),
          },
          { id: 'read', title: 'Read as', content: () => <ReadAs run={run} exchange={exchange} /> },
          {
            id: 'whole',
            title: 'Whole',
            content: () => (text === undefined ? wait : <JsonText text={prettyJson(text)} />),
          },
          {
            id: 'answer-headers',
            title: 'Headers',
            content: () => <Headers headers={exchange.responseHeaders} />,
          },
        ]}
      />
      <Notes notes={exchange.notes} />
      <div class="pane-foot">
        <a
          class="button"
          href={bytesAddress(run, exchange.number, 'response')}
          download={`answer-${exchange.number}.txt`}
        >
          <Icon name="download" />
          Download
        </a>
      </div>
    </>
  )
}

const mostPieces = 2000

function Pieces({
  pieces,
  notes,
}: {
  readonly pieces: readonly Piece[]
  readonly notes: readonly ExchangeNote[]
}) {
  const marked = Number(route.value.query['piece'] ?? -1)
  const box = useRef<HTMLOListElement>(null)
  useEffect(() => {
    box.current?.querySelector('.marked')?.scrollIntoView({ block: 'nearest' })
  }, [marked])
  return (
    <>
      <ol class="pieces" ref={box}>
        {pieces.slice(0, mostPieces).map(({ index, at, bytes, text }) => (
          <li
            key={index}
            class={index === marked ? 'marked' : ''}
            aria-current={index === marked ? 'true' : undefined}
          >
            <span class="number soft" title={`piece ${index}, ${formatBytes(bytes)}`}>
              {formatMs(at)}
            </span>
            <code>
              {text.replace(/\n+$/, '')}
              {notes
                .filter(({ piece }) => piece === index)
                .map(({ code }) => (
                  <span key={code} class="badge warn-badge">
                    ! {code}
                  </span>
                ))}
            </code>
          </li>
        ))}
      </ol>
      {pieces.length > mostPieces ? (
        <p class="soft">The download also contains {plural(pieces.length - mostPieces, 'more piece')}.</p>
      ) : null}
    </>
  )
}

function Notes({ notes }: { readonly notes: readonly ExchangeNote[] }) {
  const marked = Number(route.value.query['piece'] ?? -1)
  return (
    <section class="notes" aria-label="Notes">
      <h2>Notes ({notes.length})</h2>
      {notes.length === 0 ? <p class="soft">The response was read as it arrived.</p> : null}
      <ul>
        {notes.map(({ code, call, piece, from, to, sentence }, index) => (
          <li key={`${index}:${code}`}>
            <button
              type="button"
              class="plain"
              aria-pressed={marked === piece}
              onClick={() => setQuery({ answer: 'pieces', piece: String(piece) })}
            >
              <b>{code}</b>
              <span class="soft">
                {call === undefined ? '' : `call ${call}, `}piece {piece}
              </span>
            </button>
            {sentence && <p>{sentence}</p>}
            {from === undefined ? null : (
              <p>
                <span class="soft">received</span> <code>{from}</code>
              </p>
            )}
            {to === undefined ? null : (
              <p>
                <span class="soft">read as</span> <code>{to}</code>
              </p>
            )}
            <a
              href={`https://github.com/capstan-dev/capstan/blob/main/docs/reference/wire.md`}
              target="_blank"
              rel="noreferrer"
            >
              How responses are read
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Shows the reply that was read from the response, and the message that was added to the history. */
function ReadAs({ run, exchange }: { readonly run: string; readonly exchange: Exchange }) {
  const view = viewOf(run)
  view.revision.value
  const step = stepOf(exchange.number, view.tree.nodes.values())
  const { reply, error } = exchange
  if (!reply && !error) return <p class="soft">The reply is not complete yet.</p>
  const message = reply && 'message' in reply ? reply.message : reply
  const isChanged = step?.message !== undefined && !isSame(message, step.message)
  return (
    <>
      <h2 class="small">The reply, as it was read</h2>
      <JsonView value={reply ?? error} depth={3} run={run} />
      {step?.message === undefined ? null : <h2 class="small">The message in the history</h2>}
      {step?.message === undefined ? null : isChanged ? (
        <>
          <p class="warn">
            <span aria-hidden="true">~ </span>It differs from the reply: ids, names or arguments were
            corrected.
          </p>
          <JsonView value={step.message} depth={3} run={run} />
        </>
      ) : (
        <p class="soft">It is the same.</p>
      )}
    </>
  )
}

function stepOf(exchange: number, nodes: Iterable<{ readonly kind: string }>): StepNode | undefined {
  for (const node of nodes as Iterable<StepNode>)
    if (
      node.kind === 'step' &&
      node.children.some((one) => one.kind === 'request' && one.exchange === exchange)
    )
      return node
  return undefined
}
