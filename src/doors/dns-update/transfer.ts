// Sends a zone by AXFR, or as the answer to IXFR: the whole zone, or only its SOA record if the client has this serial
// already, as RFC 1995 section 4 permits. Each message is signed. The zone comes from the database in one snapshot, so
// a transfer has every update that was answered before it.
import { META, type Question } from '#dns/message/message.ts';
import { encodeServedSet, soaRecord, transferMessages } from '#dns/message/transfer.ts';
import { createSigner, type Signed } from '#dns/message/tsig.ts';
import { PLACEHOLDER } from '#dns/own-records.ts';
import type { ServiceContext } from '#service/context.ts';
import type { FoundTsigKey } from '#service/keys/tsig.ts';
import { transferZone, type ZoneTransfer } from '#service/updates/transfer.ts';
import { readSerial } from './read.ts';
import type { MessageTransport } from './transport.ts';

interface Asked {
  /** Without its TSIG record. */
  query: Uint8Array;
  id: number;
  question: Question;
  signed: Signed;
  key: FoundTsigKey;
}

/**
 * @returns false if the key reaches no zone with this name; nothing was sent then
 * @throws as transferZone, before anything was sent; and the failure of the transport
 */
export async function sendTransfer(
  context: ServiceContext,
  transferRequest: Asked,
  transport: MessageTransport,
): Promise<boolean> {
  const { id, question, signed, key, query } = transferRequest;
  const has = question.type === META.IXFR ? readSerial(query) : null;
  const isSent = await transferZone(context, key.actor, question.name, transport.signal, async (zone) => {
    const sign = createSigner(signed.tsig, key);
    for await (const message of transferMessages({ id, question }, recordsFor(zone, has))) {
      await transport.send(sign(message, Math.floor(context.now().getTime() / 1000)));
    }
    return true;
  });
  return isSent ?? false;
}

async function* recordsFor({ name, serial, soa, pages }: ZoneTransfer, has: number | null): AsyncGenerator<Uint8Array> {
  const ends = soaRecord(name, soa, serial);
  yield ends;
  if (has === serial) return;
  for await (const sets of pages) {
    for (const set of sets) {
      // An ALIAS without addresses is nothing that a client may see.
      if (set.type !== PLACEHOLDER.type || set.rdata[0] !== PLACEHOLDER.rdata) yield* encodeServedSet(name, set);
    }
  }
  yield ends;
}
