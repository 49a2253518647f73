import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from 's3rver'
import { createStorage, type Storage } from 'unstorage'
import s3Driver from 'unstorage/drivers/s3'

/** A server that speaks S3, on loopback. */
export interface S3Server extends AsyncDisposable {
  /** Its one bucket, through a driver of its own. */
  bucket(): Storage
}

export async function startS3(): Promise<S3Server> {
  const directory = await mkdtemp(join(tmpdir(), 'capstan-s3-'))
  const configureBuckets = [{ name: 'capstan' }]
  const server = new S3rver({ port: 0, address: '127.0.0.1', silent: true, directory, configureBuckets })
  const { port } = await server.run()
  const keys = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }
  const place = { endpoint: `http://127.0.0.1:${port}`, region: 'us-east-1', bucket: 'capstan' }
  return {
    bucket: () => createStorage({ driver: s3Driver({ ...keys, ...place }) }),
    async [Symbol.asyncDispose]() {
      await server.close()
      await rm(directory, { recursive: true })
    },
  }
}
