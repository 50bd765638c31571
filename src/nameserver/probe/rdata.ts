// The serial of a SOA record. #dns/wire/message-rdata.ts reads the RDATA of a message.

/** The serial in canonical SOA RDATA; null if the RDATA is too short. */
export function serialOfSoa(rdata: Uint8Array): number | null {
  // SOA RDATA ends with five numbers of 32 bits, the serial first (RFC 1035 section 3.3.13).
  if (rdata.length < 22) return null;
  return new DataView(rdata.buffer, rdata.byteOffset, rdata.byteLength).getUint32(rdata.length - 20);
}
