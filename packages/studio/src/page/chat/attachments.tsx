import type { Artifact } from '@capstan/core'
import { api, messageOf } from '../api/client.js'
import { formatBytes } from '../model/format.js'
import { Icon } from '../parts/icons.js'
import { factsOf, Thumbnail } from '../parts/media.js'

/**
 * A file to attach to the next message. `artifact` is set once the file has been uploaded, and `problem` if the upload
 * failed.
 */
export interface Attachment {
  readonly key: number
  readonly name: string
  readonly size: number
  readonly artifact?: Artifact
  readonly problem?: string
}

const mostBytes = 100_000_000
let count = 0

/** Uploads files. Calls `change` when a file's upload starts, ends or fails. */
export function attach(files: Iterable<File>, change: (attachment: Attachment) => void): void {
  for (const file of files) {
    count += 1
    const { name, size } = file
    const begun: Attachment = { key: count, name, size }
    if (size > mostBytes) {
      change({
        ...begun,
        problem: `The file is too large (${formatBytes(size)}). The limit is ${formatBytes(mostBytes)}.`,
      })
      continue
    }
    change(begun)
    api.upload(file).then(
      (artifact) => change({ ...begun, artifact }),
      (error) => change({ ...begun, problem: messageOf(error) }),
    )
  }
}

interface AttachmentsProps {
  readonly list: readonly Attachment[]
  readonly onRemove: (attachment: Attachment) => void
}

export function Attachments({ list, onRemove }: AttachmentsProps) {
  if (list.length === 0) return null
  return (
    <ul class="attachments" aria-label="Attachments">
      {list.map((one) => (
        <li key={one.key}>
          {one.artifact ? <Thumbnail id={one.artifact.id} /> : null}
          <span>
            {one.name}{' '}
            <span class={one.problem ? 'bad' : 'soft'}>
              {one.problem ??
                (one.artifact ? factsOf(one.artifact) : `${formatBytes(one.size)}, uploading …`)}
            </span>
          </span>
          <button type="button" class="plain" aria-label={`Remove ${one.name}`} onClick={() => onRemove(one)}>
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  )
}
