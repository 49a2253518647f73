import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import type { RunSummary } from '../../types.js'
import { api } from '../api/client.js'
import { attempt, follow, loadRun, runs, studio, viewOf } from '../api/state.js'
import { formatCount, formatMs } from '../model/format.js'
import { stateOfRun } from '../model/sentences.js'
import { Icon } from '../parts/icons.js'
import { StateWord } from '../parts/state-word.js'
import { Timeline } from '../run/timeline.js'
import { agentName } from '../shell/agent-name.js'
import { addKeys } from '../shell/keys.js'
import { go, route, toAddress } from '../shell/route.js'
import { ask, askAgain, checkAgain, onSave } from './chat-state.js'
import { Composer } from './composer.js'
import { Conversation } from './conversation.js'
import { Settings } from './settings.js'

/** The chat screen: a conversation, a field for the next message, and the newest run next to them. */
export function ChatScreen() {
  const id = route.value.path[1]
  const run = id === undefined ? undefined : runs.value.get(id)
  const chain = useChain(id)
  const [hasSettings, setSettings] = useState(false)
  useEffect(() => {
    if (id !== undefined) void follow(id)
  }, [id])
  useOnSave(run)
  useChatKeys(run)
  return (
    <div class="panes chat">
      <section class="pane" aria-label="Conversation">
        <header class="screen-head">
          <h1 title={chain[0]?.title}>{chain[0]?.title ?? 'New chat'}</h1>
          <span class="spacer" />
          {run ? (
            <button type="button" onClick={() => askAgain(run)} disabled={run.status === 'running'}>
              <Icon name="again" />
              Rerun
            </button>
          ) : null}
          {id ? (
            <a class="button" href={toAddress(['chat'], { agent: route.value.query['agent'] })}>
              <Icon name="plus" />
              New chat
            </a>
          ) : null}
          <button type="button" class="plain" aria-label="Chat settings" onClick={() => setSettings(true)}>
            <Icon name="settings" />
          </button>
        </header>
        {id ? <Conversation chain={chain} newest={id} /> : <Empty />}
        <Composer run={run} />
      </section>
      {run ? <RunBeside run={run} /> : null}
      {hasSettings ? <Settings onClose={() => setSettings(false)} /> : null}
    </div>
  )
}

/** Returns a conversation's runs up to `newest`, oldest first, at most 200. Loads runs that are not on the page yet. */
function useChain(newest: string | undefined): readonly RunSummary[] {
  const ids = runs.value
  const chain: RunSummary[] = []
  let missing: string | undefined
  for (let id = newest; id !== undefined && chain.length < 200; ) {
    const run = ids.get(id)
    if (!run) {
      missing = id
      break
    }
    chain.unshift(run)
    id = run.after
  }
  useEffect(() => {
    if (missing !== undefined) void loadRun(missing)
  }, [missing])
  return chain
}

/** When the agent's file has been saved, reruns or checks the newest run if the user has chosen this. */
function useOnSave(run: RunSummary | undefined): void {
  const version = studio.value?.loaded?.version
  const [last, setLast] = useState(version)
  useEffect(() => {
    if (version === last) return
    setLast(version)
    if (last === undefined || !run || run.status === 'running') return
    if (onSave.value === 'ask') void askAgain(run)
    if (onSave.value === 'check') void checkAgain(run)
  }, [version, last, run])
}

function useChatKeys(run: RunSummary | undefined): void {
  useLayoutEffect(
    () =>
      addKeys('Chat', () => [
        { key: 'i', does: 'write a message', run: () => document.getElementById('message')?.focus() },
        ...(run
          ? [
              { key: 'r', does: 'rerun', run: () => void askAgain(run) },
              { key: 'o', does: 'open the run', run: () => go(toAddress(['runs', run.id])) },
              { key: 's', does: 'stop the run', run: () => void attempt(() => api.stop(run.id)) },
            ]
          : []),
      ]),
    [run],
  )
}

function Empty() {
  const { agents, prompts, file } = studio.value ?? { agents: [], prompts: [] }
  const name = agentName()
  if (studio.value && agents.length === 0)
    return (
      <div class="conversation">
        <p class="empty">
          {file ? `${file} exports no agent.` : 'The studio was started without a file.'} Runs on disk are
          under <a href="/runs">Runs</a>.
        </p>
      </div>
    )
  return (
    <div class="conversation">
      <div class="empty">
        <p>
          Talk to <b>{name ?? 'the agent'}</b>. Each message becomes a run that you can open, fork and keep as
          a test.
        </p>
        <div class="prompts">
          {prompts.map((prompt) => (
            <button
              key={prompt}
              type="button"
              onClick={() => name !== undefined && void ask(name, { text: prompt, attachments: [] })}
            >
              {prompt}
            </button>
          ))}
        </div>
      </div>
    </div>
  )
}

function RunBeside({ run }: { readonly run: RunSummary }) {
  const { word, status } = stateOfRun(run)
  const address = (row?: string) => toAddress(['runs', run.id], { row })
  return (
    <aside class="pane beside" aria-label="The newest run">
      <div class="pane-head">
        <h2>Run</h2>
        <StateWord status={status} word={word} />
        <span class="soft">
          {formatMs(run.workedMs)} · {formatCount(run.usage.totalTokens)} tokens
        </span>
        <span class="spacer" />
        <a class="button" href={address()}>
          Open
        </a>
      </div>
      <Timeline
        view={viewOf(run.id)}
        selected={undefined}
        onSelect={() => {}}
        onOpen={(row) => go(address(row.id))}
        isCompact
      />
    </aside>
  )
}
