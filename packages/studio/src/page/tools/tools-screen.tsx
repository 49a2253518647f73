// Shows the file's tools as the model sees them, with a form to call each of them.
import { useEffect, useState } from 'preact/hooks'
import type { ToolInfo } from '../../types.js'
import { api, messageOf } from '../api/client.js'
import { studio } from '../api/state.js'
import { formatCount, plural } from '../model/format.js'
import { agentName } from '../shell/agent-name.js'
import { route, toAddress } from '../shell/route.js'
import { nameOf } from './tool-call.js'
import { ToolDetail } from './tool-detail.js'

export function ToolsScreen() {
  const { tools, error } = useTools()
  const asked = route.value.path[1]
  const tool = tools?.find(({ definition }) => nameOf({ definition }) === asked) ?? tools?.[0]
  if (error) return <p class="empty">The tools could not be read: {error}</p>
  if (!tools) return <p class="empty">Loading …</p>
  if (!tool) {
    return (
      <div class="empty">
        <h1>Tools</h1>
        <p>This file exports no tools. Tools that you export, or pass to an agent, are listed here.</p>
      </div>
    )
  }
  return (
    <>
      <Head tools={tools} />
      <div class="tools-panes">
        <nav class="side-list" aria-label="Tools">
          {tools.map((one) => (
            <ToolLink key={nameOf(one)} tool={one} isCurrent={one === tool} />
          ))}
        </nav>
        <ToolDetail key={nameOf(tool)} tool={tool} />
      </div>
    </>
  )
}

/** Loads the file's tools, and loads them again for each new version of the file. */
function useTools(): { tools?: readonly ToolInfo[]; error?: string } {
  const [state, setState] = useState<{ tools?: readonly ToolInfo[]; error?: string }>({})
  const version = studio.value?.loaded?.version
  useEffect(() => {
    let isCurrent = true
    api.tools().then(
      (tools) => isCurrent && setState({ tools }),
      (error) => isCurrent && setState({ error: messageOf(error) }),
    )
    return () => {
      isCurrent = false
    }
  }, [version])
  return state
}

function Head({ tools }: { readonly tools: readonly ToolInfo[] }) {
  const agent = agentName()
  const own = tools.filter(({ agents }) => agent !== undefined && agents.includes(agent))
  const tokens = own.reduce((sum, one) => sum + one.tokens, 0)
  const count = (level: string) =>
    tools.flatMap(({ findings }) => findings).filter((one) => one.level === level).length
  return (
    <header class="screen-head">
      <h1>Tools</h1>
      <p class="facts">
        {own.length > 0 && (
          <span>
            <b>{formatCount(tokens)}</b> tokens in every request from {agent}
          </span>
        )}
        {(['error', 'warning', 'hint'] as const).map((level) => {
          const found = count(level)
          return found > 0 ? <span key={level}>{plural(found, level)}</span> : null
        })}
      </p>
    </header>
  )
}

function ToolLink({ tool, isCurrent }: { readonly tool: ToolInfo; readonly isCurrent: boolean }) {
  const worst = (['error', 'warning'] as const).find((level) =>
    tool.findings.some((one) => one.level === level),
  )
  return (
    <a
      href={toAddress(['tools', nameOf(tool)], { agent: route.value.query['agent'] })}
      aria-current={isCurrent ? 'page' : undefined}
    >
      <span class="side-name">{nameOf(tool)}</span>
      {worst && (
        <span class={worst === 'error' ? 'bad' : 'warn'} title={`has an ${worst}`}>
          !<span class="visually-hidden"> {worst}</span>
        </span>
      )}
      <span class="count" title="tokens in every request">
        {tool.tokens}
        <span class="visually-hidden"> tokens</span>
      </span>
    </a>
  )
}
