import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { RunSummary } from '../../types.js'
import type { RunView } from '../api/run-view.js'
import { inbox, viewOf } from '../api/state.js'
import type { Input } from '../model/messages.js'
import { summarise } from '../model/rows.js'
import type { RunNode } from '../model/run-nodes.js'
import { Thumbnail } from '../parts/media.js'
import { Approval } from './approval.js'
import { CallCard } from './call-card.js'
import { readInput } from './chat-state.js'
import { Reply } from './reply.js'

interface ConversationProps {
  /** The conversation's runs, oldest first. Empty while they are loading. */
  readonly chain: readonly RunSummary[]
  readonly newest: string
}

/** Shows the runs of a conversation. As long as the user is at the end, scrolls down as the conversation grows. */
export function Conversation({ chain, newest }: ConversationProps) {
  const box = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  const top = useRef(0)
  const ids = chain.length > 0 ? chain.map(({ id }) => id) : [newest]
  useEffect(() => {
    isAtEnd.current = true
  }, [newest])
  const follow = () => {
    if (isAtEnd.current && box.current) box.current.scrollTop = box.current.scrollHeight
  }
  // Some parts, such as an approval's form, are loaded later. They make the conversation taller without adding a row.
  useEffect(() => {
    const observer = new MutationObserver(follow)
    if (box.current) observer.observe(box.current, { childList: true, subtree: true })
    return () => observer.disconnect()
  }, [])
  return (
    <div
      class="conversation"
      ref={box}
      role="log"
      aria-live="off"
      aria-label="Messages"
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        const isNear = scrollHeight - scrollTop - clientHeight < 40
        // The distance also grows when content is added below, which does not mean that the user has scrolled.
        if (isNear || scrollTop < top.current) isAtEnd.current = isNear
        top.current = scrollTop
      }}
    >
      {ids.map((id) => (
        <Turn key={id} id={id} run={chain.find((run) => run.id === id)} onShown={follow} />
      ))}
      <Saying run={newest} />
    </div>
  )
}

/** Announces the newest run's state to screen readers, but not the text of a reply that is still streaming. */
function Saying({ run }: { readonly run: string }) {
  const view = viewOf(run)
  view.revision.value
  const { tree } = view
  const waiting = tree.waiting.map(({ name }) => name)
  const text =
    waiting.length > 0
      ? `pending: ${waiting.join(', ')}`
      : tree.root.end === undefined
        ? 'running'
        : `done, ${summarise(tree)}`
  return (
    <p class="visually-hidden" role="status">
      {view.state.value === 'ready' ? text : ''}
    </p>
  )
}

interface TurnProps {
  readonly id: string
  readonly run: RunSummary | undefined
  readonly onShown: () => void
}

/** Shows one run of a conversation: the user's message, and everything up to the end of the run. */
function Turn({ id, run, onShown }: TurnProps) {
  const view = viewOf(id)
  const revision = view.revision.value
  const input = useInput(id, view.tree.root.children.length > 0)
  useEffect(() => void view.load(), [view])
  useLayoutEffect(onShown, [revision, input])
  const { root } = view.tree
  const waiting = inbox.value.filter((call) => call.run === id && call.source === 'studio')
  return (
    <>
      <article class="message user" aria-label="You">
        <header>You</header>
        <div class="words plain-words" dir="auto">
          {input?.text ?? run?.title ?? '…'}
        </div>
        {input?.attachments.map((artifact) => (
          <Thumbnail key={artifact} id={artifact} />
        ))}
      </article>
      <article class="message agent" aria-label={run?.agent ?? 'The agent'}>
        <header>
          {run?.agent ?? root.agent}
          {run?.isLocalService ? <span class="badge">local planner</span> : null}
        </header>
        {root.children.map((node) => (
          <Part key={node.id} node={node} view={view} isLast={node === root.children.at(-1)} />
        ))}
        {waiting.map((call) => (
          <Approval key={call.call.callId} item={call} />
        ))}
        {view.state.value === 'failed' ? <p class="bad">{view.error.value}</p> : null}
        {root.children.length === 0 && view.state.value !== 'failed' ? <p class="soft">…</p> : null}
      </article>
    </>
  )
}

function useInput(run: string, hasBegun: boolean): Input | undefined {
  const [input, setInput] = useState<Input>()
  useEffect(() => {
    let isCurrent = true
    void readInput(run).then((read) => {
      if (isCurrent && read) setInput(read)
    })
    return () => {
      isCurrent = false
    }
  }, [run, hasBegun])
  return input
}

function Part({
  node,
  view,
  isLast,
}: {
  readonly node: RunNode
  readonly view: RunView
  readonly isLast: boolean
}) {
  view.revision.value
  if (node.kind === 'step')
    return (
      <>
        <Reply step={node} view={view} />
        {node.children.map((child) =>
          child.kind === 'call' ? (
            <CallCard key={child.id} call={child} view={view} />
          ) : (
            <Part key={child.id} node={child} view={view} isLast={false} />
          ),
        )}
      </>
    )
  if (node.kind === 'note' && node.title === 'you said')
    return (
      <p class="said">
        <b>You, meanwhile:</b> {node.text}
      </p>
    )
  if (node.kind === 'note' && node.status === 'problem')
    return (
      <p class="problem">
        <span aria-hidden="true">! </span>
        {node.title}: {node.text}
      </p>
    )
  if (node.kind !== 'end' || !isLast || node.stopReason === 'done' || node.stopReason === 'pending')
    return null
  return (
    <p class={node.status === 'problem' ? 'problem' : 'soft'}>
      <span aria-hidden="true">! </span>
      {node.text}
    </p>
  )
}
