-- Claims on rooms of calls that others began had the room's name, which holds the caller's number. Telephony claims its hash.
update es.claims set key = encode(sha256(convert_to(key, 'UTF8')), 'hex') where scope = 'call-room';
