// The part of dns-packet that tests use as a second opinion on messages; it comes without types.
declare module 'dns-packet' {
  export interface Question {
    name: string;
    type: string;
    class?: string;
  }
  export interface Answer extends Question {
    ttl?: number;
    data?: unknown;
    flags?: number;
    udpPayloadSize?: number;
    flag_do?: boolean;
    options?: unknown[];
  }
  export interface Packet {
    id?: number;
    type?: 'query' | 'response';
    flags?: number;
    rcode?: string;
    flag_rd?: boolean;
    questions?: Question[];
    answers?: Answer[];
    authorities?: Answer[];
    additionals?: Answer[];
  }
  export const AUTHORITATIVE_ANSWER: number;
  export const TRUNCATED_RESPONSE: number;
  export function encode(packet: Packet): Buffer;
  export function decode(bytes: Buffer): Packet & { id: number; questions: Question[]; additionals: Answer[] };
}
