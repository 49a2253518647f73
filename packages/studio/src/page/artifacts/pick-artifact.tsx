import type { Artifact } from '@capstan/core'
import { useEffect, useRef, useState } from 'preact/hooks'
import { api, artifactAddress } from '../api/client.js'
import { attempt } from '../api/state.js'
import { shorten } from '../model/format.js'
import { Dialog } from '../parts/dialog.js'
import { factsOf } from '../parts/media.js'

/** Returns the `dialog` to render, and `pick`, which opens the dialog and resolves to the chosen artifact's id. */
export function usePickArtifact() {
  const [answer, setAnswer] = useState<{ readonly give: (id: string | undefined) => void }>()
  const pick = () =>
    new Promise<string | undefined>((resolve) => {
      setAnswer({
        give: (id) => {
          setAnswer(undefined)
          resolve(id)
        },
      })
    })
  return { pick, dialog: answer ? <PickDialog onPick={answer.give} /> : null }
}

function PickDialog({ onPick }: { readonly onPick: (id: string | undefined) => void }) {
  const [artifacts, setArtifacts] = useState<readonly Artifact[]>()
  const file = useRef<HTMLInputElement>(null)
  useEffect(() => {
    void attempt(() => api.artifacts({ limit: 60 })).then((found) => setArtifacts(found?.artifacts ?? []))
  }, [])
  const upload = async () => {
    const chosen = file.current?.files?.[0]
    const stored = chosen && (await attempt(() => api.upload(chosen)))
    if (stored) onPick(stored.id)
  }
  return (
    <Dialog title="Choose an artifact" onClose={() => onPick(undefined)}>
      <p class="field">
        <label for="pick-file">From this machine</label>
        <input id="pick-file" ref={file} type="file" onChange={upload} />
      </p>
      {artifacts?.length === 0 && <p class="soft">No run has created an artifact yet.</p>}
      <div class="tiles">
        {artifacts?.map((artifact) => (
          <button type="button" class="tile" key={artifact.id} onClick={() => onPick(artifact.id)}>
            {artifact.kind === 'image' && (
              <img
                src={artifactAddress(artifact.id)}
                alt=""
                width={artifact.width ?? 160}
                height={artifact.height ?? 120}
                loading="lazy"
                decoding="async"
              />
            )}
            <code>{artifact.id}</code>
            <span class="soft">{shorten(artifact.origin?.prompt ?? factsOf(artifact), 60)}</span>
          </button>
        ))}
      </div>
    </Dialog>
  )
}
