// Shows an agent's configuration: its model, instructions, limits, tools and sub-agents.
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { AgentAnswer } from '../../types.js'
import { api, messageOf } from '../api/client.js'
import { studio, tell } from '../api/state.js'
import { plural } from '../model/format.js'
import { JsonView } from '../parts/json-view.js'
import { Pairs } from '../parts/pairs.js'
import { agentName } from '../shell/agent-name.js'
import { toAddress } from '../shell/route.js'
import { ToolRows } from './tool-rows.js'

export function AgentScreen() {
  const name = agentName()
  const version = studio.value?.loaded?.version
  const [answer, setAnswer] = useState<AgentAnswer | { readonly problem: string }>()
  useEffect(() => {
    if (name === undefined) return
    let isCurrent = true
    api.agent(name).then(
      (found) => isCurrent && setAnswer(found),
      (error) => isCurrent && setAnswer({ problem: messageOf(error) }),
    )
    return () => {
      isCurrent = false
    }
  }, [name, version])
  if (name === undefined) {
    return (
      <div class="empty">
        <h1>Agent</h1>
        <p>This file exports no agent.</p>
      </div>
    )
  }
  if (!answer) return <p class="empty">Loading …</p>
  if ('problem' in answer) return <p class="empty bad">{answer.problem}</p>
  const copy = () =>
    navigator.clipboard.writeText(JSON.stringify(answer.agent, null, 2)).then(
      () => tell('Copied as JSON.'),
      () => {},
    )
  return (
    <>
      <header class="screen-head">
        <h1>{name}</h1>
        <span class="badge">{answer.agent.model.name}</span>
        <span class="spacer" />
        <button type="button" onClick={copy}>
          Copy as JSON
        </button>
      </header>
      <div class="screen-body agent-cards">
        <Cards {...answer} />
      </div>
    </>
  )
}

function Card({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  )
}

function Cards({ agent, report }: AgentAnswer) {
  const { model, instructions, limits, settings, output, policies, middleware, agents } = agent
  return (
    <>
      <ModelCard model={model} settings={settings} />
      <Card title="Instructions">
        {!instructions ? (
          <p class="soft">None.</p>
        ) : 'text' in instructions ? (
          <pre class="code">{instructions.text}</pre>
        ) : (
          <p>A function generates them for each run. Open a step's request to see what was sent.</p>
        )}
      </Card>
      <Card title="Limits and policies">
        <Pairs
          pairs={[
            ...Object.entries(limits).map(
              ([limit, value]) =>
                [limit, typeof value === 'object' ? JSON.stringify(value) : String(value)] as const,
            ),
            ['policies', String(policies)],
            ['middleware', middleware.join(', ') || 'none'],
          ]}
        />
      </Card>
      {output !== undefined && (
        <Card title="Typed output">
          <JsonView value={output} depth={3} />
        </Card>
      )}
      <Card title={`Tools, ${plural(report.tokens, 'token')} in every request`}>
        <ToolRows agent={agent} report={report} />
      </Card>
      {agents.length > 0 && (
        <Card title="Agents">
          <ul class="plain-list">
            {agents.map((one) => (
              <li key={`${one.name} ${one.by}`}>
                <span aria-hidden="true">└ </span>
                <a href={toAddress(['agent'], { agent: one.name })}>{one.name}</a>{' '}
                <span class="soft">{one.by === 'call' ? 'as a tool' : 'by a handoff'}</span>
              </li>
            ))}
          </ul>
        </Card>
      )}
    </>
  )
}

function ModelCard({ model, settings }: Pick<AgentAnswer['agent'], 'model' | 'settings'>) {
  return (
    <Card title="Model">
      <Pairs
        pairs={[
          ['name', <code key="name">{model.name}</code>],
          ['server', model.isNamed ? 'from the environment' : 'its own'],
          ['typed output', model.structuredOutput ? 'by schema' : 'by a tool'],
          [
            'settings',
            Object.keys(settings).length > 0 ? <JsonView key="settings" value={settings} /> : undefined,
          ],
        ]}
      />
    </Card>
  )
}
