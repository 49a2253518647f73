import type { AgentAnswer } from '../../types.js'
import { plural } from '../model/format.js'
import { toAddress } from '../shell/route.js'

/** Lists an agent's tools. Each tool links to its form and shows the number of its problems. */
export function ToolRows({ agent, report }: AgentAnswer) {
  if (agent.tools.length === 0) return <p class="soft">None.</p>
  return (
    <ul class="plain-list">
      {agent.tools.map((tool) => {
        const findings = report.findings.filter((one) => one.tool === tool)
        return (
          <li key={tool}>
            <a href={toAddress(['tools', tool], { agent: agent.name })}>
              <code>{tool}</code>
            </a>{' '}
            {findings.length > 0 && (
              <span class={findings.some(({ level }) => level === 'error') ? 'bad' : 'soft'}>
                {plural(findings.length, 'finding')}
              </span>
            )}
          </li>
        )
      })}
    </ul>
  )
}
