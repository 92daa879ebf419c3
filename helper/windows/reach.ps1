# Network probes. Each function returns on success and throws on failure.

# "10.0.0.1:6443", "[fd00::1]:6443", "name:80", or without a port if there is a default.
function Split-Target {
    param([Parameter(Mandatory = $true)][string]$Target, [int]$DefaultPort = 0)
    if ($Target -match '^\[(?<host>[^\]]+)\](:(?<port>\d+))?\z' -or $Target -match '^(?<host>[^:]+)(:(?<port>\d+))?\z') {
        $port = $DefaultPort
        if ($Matches.ContainsKey('port')) { $port = [int]$Matches['port'] }
        if ($port -ge 1 -and $port -le 65535) { return [pscustomobject]@{ Host = $Matches['host']; Port = $port } }
    }
    throw (New-HelperError -Kind BadRequest -Message "'$Target' is not an address with a port.")
}

# The addresses of a target. Sockets need their family: without it, .NET Framework creates IPv4 sockets only.
function Resolve-Target {
    param([Parameter(Mandatory = $true)][string]$Name)
    $address = $Name -as [System.Net.IPAddress]
    if ($null -ne $address -and $Name -match '[.:]') { return $address }
    [System.Net.Dns]::GetHostAddresses($Name)
}

function Connect-Tcp {
    param([Parameter(Mandatory = $true)][string]$Target, [Parameter(Mandatory = $true)][int]$TimeoutMs)
    $to = Split-Target -Target $Target
    $clock = [System.Diagnostics.Stopwatch]::StartNew()
    $addresses = @(Resolve-Target -Name $to.Host)
    for ($i = 0; $i -lt $addresses.Count; $i++) {
        $client = New-Object -TypeName System.Net.Sockets.TcpClient -ArgumentList $addresses[$i].AddressFamily
        try {
            $left = [int][math]::Max(1, $TimeoutMs - $clock.ElapsedMilliseconds)
            if ($client.ConnectAsync($addresses[$i], $to.Port).Wait($left)) { return }
            throw (New-HelperError -Kind Timeout -Message "No connection within $TimeoutMs ms.")
        } catch {
            # A name may have addresses of both families, with only one reachable.
            if ($i -eq $addresses.Count - 1) { throw }
        } finally {
            $client.Close()
        }
    }
}

# UDP has no reply: only a port that is reported closed is a failure.
function Send-Udp {
    param([Parameter(Mandatory = $true)][string]$Target, [Parameter(Mandatory = $true)][int]$TimeoutMs)
    $to = Split-Target -Target $Target
    $address = @(Resolve-Target -Name $to.Host)[0]
    $client = New-Object -TypeName System.Net.Sockets.UdpClient -ArgumentList $address.AddressFamily
    try {
        $client.Connect($address, $to.Port)
        [void]$client.Send((New-Object -TypeName byte[] -ArgumentList 1), 1)
        [void]$client.ReceiveAsync().Wait($TimeoutMs)
    } finally {
        $client.Close()
    }
}

# Any answer is a success, also "no such name": the server is reachable.
function Send-DnsQuery {
    param([Parameter(Mandatory = $true)][string]$Target, [Parameter(Mandatory = $true)][int]$TimeoutMs)
    $to = Split-Target -Target $Target -DefaultPort 53
    # Header: id 0x4b57, recursion desired, one question. Question: kubernetes.default.svc.cluster.local, type A, class IN.
    $query = New-Object -TypeName System.Collections.Generic.List[byte]
    $query.AddRange([byte[]](0x4b, 0x57, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0))
    foreach ($label in @('kubernetes', 'default', 'svc', 'cluster', 'local')) {
        $query.Add([byte]$label.Length)
        $query.AddRange([System.Text.Encoding]::ASCII.GetBytes($label))
    }
    $query.AddRange([byte[]](0, 0, 1, 0, 1))
    $address = @(Resolve-Target -Name $to.Host)[0]
    $client = New-Object -TypeName System.Net.Sockets.UdpClient -ArgumentList $address.AddressFamily
    try {
        $client.Connect($address, $to.Port)
        [void]$client.Send($query.ToArray(), $query.Count)
        if (-not $client.ReceiveAsync().Wait($TimeoutMs)) {
            throw (New-HelperError -Kind Timeout -Message "No answer within $TimeoutMs ms.")
        }
    } finally {
        $client.Close()
    }
}

function Send-Ping {
    param([Parameter(Mandatory = $true)][string]$Target, [Parameter(Mandatory = $true)][int]$TimeoutMs)
    $ping = New-Object -TypeName System.Net.NetworkInformation.Ping
    try {
        $status = [string]$ping.Send($Target, $TimeoutMs).Status
        if ($status -ne 'Success') { throw (New-HelperError -Kind Failed -Message "Ping: $status.") }
    } finally {
        $ping.Dispose()
    }
}
