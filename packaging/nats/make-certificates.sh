#!/bin/sh
# An authority, and a certificate with a key of its own for each node and broker:
#   make-certificates.sh FOLDER h1 h2 d1 d2 n1 n2 n3
# Each machine gets ca.pem, and its own NAME.pem and NAME.key; ca.key goes to none of them. A later call with the same
# folder adds nodes. A certificate is good for 825 days; the authority for ten years.
set -eu
umask 077
folder=$1
shift
mkdir -p "$folder"
cd "$folder"
if [ ! -f ca.key ]; then
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650 -subj "/CN=ventuno brokers" \
        -addext "basicConstraints=critical,CA:TRUE" -addext "keyUsage=critical,keyCertSign,cRLSign" \
        -keyout ca.key -out ca.pem 2>/dev/null
fi
for name in "$@"; do
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=$name" \
        -keyout "$name.key" -out "$name.csr" 2>/dev/null
    # A broker is called by its name, or on one machine by the address of that.
    printf 'subjectAltName=DNS:%s%s\nextendedKeyUsage=serverAuth,clientAuth\nbasicConstraints=CA:FALSE\n' \
        "$name" "${ADDRESS:+,IP:$ADDRESS}" > "$name.ext"
    openssl x509 -req -in "$name.csr" -CA ca.pem -CAkey ca.key -CAcreateserial -days 825 -extfile "$name.ext" \
        -out "$name.pem" 2>/dev/null
    rm "$name.csr" "$name.ext"
done
