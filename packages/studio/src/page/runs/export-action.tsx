import { useEffect, useState } from 'preact/hooks'
import type { RunSummary } from '../../types.js'
import { ApiError, api, messageOf } from '../api/client.js'
import { Choices } from '../parts/choices.js'
import { Dialog } from '../parts/dialog.js'

interface ActionProps {
  readonly run: RunSummary
}

export function ExportAction({ run }: ActionProps) {
  const [isOpen, setOpen] = useState(false)
  if (run.kind !== 'run') return null
  return (
    <>
      <button type="button" disabled={run.status === 'running'} onClick={() => setOpen(true)}>
        Export as test
      </button>
      {isOpen && <ExportDialog run={run} onClose={() => setOpen(false)} />}
    </>
  )
}

type Style = 'replay' | 'script'
type Exported = Awaited<ReturnType<typeof api.exportTest>>

/**
 * Loads a preview of a run's test. `write` saves the test. After a conflict, calling `write` again replaces the
 * existing files.
 */
function useExport(run: string, style: Style, path: string | undefined) {
  const [preview, setPreview] = useState<Exported>()
  const [written, setWritten] = useState<Exported>()
  const [problem, setProblem] = useState<{ readonly message: string; readonly isTaken: boolean }>()
  useEffect(() => {
    let isCurrent = true
    setProblem(undefined)
    setWritten(undefined)
    setPreview(undefined)
    api.exportTest(run, { style, preview: true }).then(
      (found) => isCurrent && setPreview(found),
      (error) => isCurrent && setProblem({ message: messageOf(error), isTaken: false }),
    )
    return () => {
      isCurrent = false
    }
  }, [run, style])
  const write = async () => {
    const replace = problem?.isTaken === true
    try {
      setWritten(
        await api.exportTest(run, {
          style,
          ...(path !== undefined && { path }),
          ...(replace && { replace }),
        }),
      )
      setProblem(undefined)
    } catch (error) {
      setWritten(undefined)
      setProblem({ message: messageOf(error), isTaken: error instanceof ApiError && error.status === 409 })
    }
  }
  return { preview, written, problem, write }
}

/** A dialog that previews a run's test and, when the user confirms, writes it. */
function ExportDialog({ run, onClose }: ActionProps & { readonly onClose: () => void }) {
  const [style, setStyle] = useState<Style>('replay')
  const [path, setPath] = useState<string>()
  const { preview, written, problem, write } = useExport(run.id, style, path)
  return (
    <Dialog title="Export as a test" onClose={onClose}>
      <StyleChoice style={style} onStyle={setStyle} />
      {preview && (
        <>
          <p class="field">
            <label for="export-path">File</label>
            <input
              id="export-path"
              type="text"
              spellcheck={false}
              value={path ?? preview.path}
              onInput={(event) => setPath(event.currentTarget.value)}
            />
          </p>
          <pre class="code" tabIndex={0}>
            {preview.text}
          </pre>
        </>
      )}
      {problem && (
        <p class="bad" role="alert">
          {problem.message}
        </p>
      )}
      <p class="line">
        <button type="button" class="main" disabled={!preview} onClick={write}>
          {problem?.isTaken ? 'Replace the files' : 'Write the test'}
        </button>
        <span role="status" class="good">
          {written && `✓ Wrote ${written.path}. Run it with: npx vitest run ${written.path}`}
        </span>
      </p>
    </Dialog>
  )
}

const styles = [
  ['replay', 'Replay the recording'],
  ['script', 'A script to edit by hand'],
] as const

function StyleChoice({
  style,
  onStyle,
}: {
  readonly style: Style
  readonly onStyle: (style: Style) => void
}) {
  return (
    <fieldset class="choices">
      <legend class="visually-hidden">Test style</legend>
      <Choices name="export-style" choices={styles} value={style} onChoose={onStyle} />
    </fieldset>
  )
}
