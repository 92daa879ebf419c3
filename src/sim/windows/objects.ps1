# Objects with external effects: sockets, pings, and the class that calls HNS. The real cmdlets create all others.

function New-Object {
    [CmdletBinding()]
    param([Parameter(Position = 0)][string]$TypeName, [Parameter(Position = 1)][object[]]$ArgumentList)
    switch ($TypeName) {
        'KubectlWin.HnsClient' { return New-Stub @{} @{ Call = { param($method, $path, $body) Invoke-HnsStub -Method $method -Path $path -Body $body } } }
        'KubectlWin.PipeClient' {
            return New-Stub @{} @{ Open = { param($path, $milliseconds) Open-PipeStub -Path $path } }
        }
        'System.Net.Sockets.TcpClient' {
            return New-Stub @{ Family = [string]@($ArgumentList)[0] } @{ ConnectAsync = { param($to, $port) Get-SocketTask -Family $this.Family -Address $to -Port $port -Kind tcp }; Close = {} }
        }
        'System.Net.Sockets.UdpClient' {
            return New-Stub @{ Family = [string]@($ArgumentList)[0]; To = $null; Port = 0 } @{
                Connect = { param($to, $port) $this.To = $to; $this.Port = $port }; Send = { 1 }; Close = {}
                ReceiveAsync = { Get-SocketTask -Family $this.Family -Address $this.To -Port $this.Port -Kind udp }
            }
        }
        'System.IO.FileStream' {
            $stream = Microsoft.PowerShell.Utility\New-Object @PSBoundParameters
            if ([string]$ArgumentList[0] -notlike '*.ndjson' -or -not $stream.CanWrite) { return , $stream }
            return New-JournalStub -Stream $stream
        }
        'System.Net.NetworkInformation.Ping' {
            return New-Stub @{} @{ Send = { param($to) [pscustomobject]@{ Status = $(if (Test-Reach -Target $to -Kind icmp) { 'Success' } else { 'TimedOut' }) } }; Dispose = {} }
        }
    }
    , (Microsoft.PowerShell.Utility\New-Object @PSBoundParameters)
}

function Add-Type {
    [CmdletBinding()]
    param([string]$TypeDefinition)
    if ($TypeDefinition -notmatch 'vmcompute\.dll|CreateFileW') { Microsoft.PowerShell.Utility\Add-Type -TypeDefinition $TypeDefinition }
}

# A pipe is a socket of the same name in a folder next to the state file. It can lead to a real ovsdb-server.
function Open-PipeStub {
    param([string]$Path)
    $folder = Join-Path -Path (Split-Path -Path $env:KUBECTL_WIN_STATE -Parent) -ChildPath 'pipes'
    $socketPath = Join-Path -Path $folder -ChildPath ($Path -replace '^\\\\\.\\pipe\\', '')
    if (-not [System.IO.File]::Exists($socketPath)) { return $null }
    $socket = [System.Net.Sockets.Socket]::new('Unix', 'Stream', 'Unspecified')
    $socket.Connect([System.Net.Sockets.UnixDomainSocketEndPoint]::new($socketPath))
    [System.Net.Sockets.NetworkStream]::new($socket, $true)
}

function New-Stub {
    param([hashtable]$Properties, [hashtable]$Methods)
    $stub = [pscustomobject]$Properties
    foreach ($name in $Methods.Keys) { $stub | Add-Member -MemberType ScriptMethod -Name $name -Value $Methods[$name] }
    $stub
}

# A journal on a disk that may be full: if the state says so, only half of a write succeeds.
function New-JournalStub {
    param([System.IO.FileStream]$Stream)
    $stub = New-Stub @{ Inner = $Stream; Lines = 0 } @{
        Seek = { param($offset, $origin) $this.Inner.Seek($offset, $origin) }; ReadByte = { $this.Inner.ReadByte() }
        SetLength = { param($length) $this.Inner.SetLength($length) }; Dispose = { $this.Inner.Dispose() }
        Flush = { param($toDisk) $this.Inner.Flush($toDisk) }
        Write = {
            param($bytes, $from, $count)
            if ($null -eq (Read-State).errors.disk) {
                $this.Inner.Write($bytes, $from, $count)
                # A power cut after so many lines.
                if ($env:KUBECTL_WIN_CUT_AFTER_LINES -and ++$this.Lines -ge [int]$env:KUBECTL_WIN_CUT_AFTER_LINES) { $this.Inner.Flush($true); [System.Diagnostics.Process]::GetCurrentProcess().Kill() }
                return
            }
            $this.Inner.Write($bytes, $from, [int]($count / 2))
            throw [System.IO.IOException]::new('There is not enough space on the disk.', 0x80070070)
        }
    }
    $stub | Add-Member -MemberType ScriptProperty -Name Length -Value { $this.Inner.Length }
    $stub
}

# Why no packet passes the adapter of the node's address, as in src/sim/live/reach.ts. Nothing: packets pass.
function Get-UplinkFault {
    param($State, [string]$Adapter)
    $row = Get-Rows $State netAdapters | Where-Object { $_.Name -eq $Adapter } | Select-Object -First 1
    $bound = { param($name, $component) @(Get-Rows $State adapterBindings | Where-Object { $_.Name -eq $name -and $_.ComponentID -eq $component -and -not $_.Enabled }).Count -eq 0 }
    if ($null -eq $row) { return "Adapter $Adapter does not exist." }
    if (-not $row.Virtual) { if (& $bound $Adapter 'ms_tcpip') { return } return "$Adapter has no TCP/IP." }
    $uplink = Get-Rows $State netAdapters | Where-Object { $_.HardwareInterface -and $_.MacAddress -eq $row.MacAddress } | Select-Object -First 1
    if ($null -eq $uplink) { return }
    if (-not (& $bound $uplink.Name 'vms_pp')) { return "$($uplink.Name) is bound to no switch." }
    $switches = @(Get-Rows $State vmSwitches | Where-Object { $_.NetAdapterInterfaceDescription -eq $uplink.InterfaceDescription } | ForEach-Object { $_.Name })
    $ovs = @(Get-Rows $State vmSwitchExtensions | Where-Object { $switches -contains $_.SwitchName -and $_.Id -eq '583CC151-73EC-4A6A-8B47-578297AD7623' -and $_.Enabled })
    if ($ovs.Count -eq 0) { return }
    if (@(Get-Rows $State processes | Where-Object { $_.Name -eq 'ovs-vswitchd.exe' }).Count -eq 0) { return 'ovs-vswitchd does not run.' }
    $interfaces = $State.sections.ovs.Tables.Interface
    $index = [array]::IndexOf(@($interfaces.headings), 'name')
    $names = @($interfaces.data | ForEach-Object { $_[$index] })
    if ($names -notcontains $Adapter -or $names -notcontains $uplink.Name) { return "No OVS bridge connects $Adapter with $($uplink.Name)." }
}

# A target is reachable as the state's probes say, if the node has a working address and a default route.
function Test-Reach {
    param([string]$Target, [string]$Kind)
    $state = Read-State
    $default = Get-Rows $state netRoutes | Where-Object { $_.DestinationPrefix -eq '0.0.0.0/0' -and $_.Store -eq 'ActiveStore' } | Select-Object -First 1
    if ($default -and (Get-UplinkFault -State $state -Adapter $default.InterfaceAlias)) { return $false }
    $addresses = @(Get-Rows $state netIPAddresses | Where-Object { $_.AddressFamily -eq 'IPv4' -and $_.IPAddress -notmatch '^(127|169\.254)\.' } | ForEach-Object { $_.IPAddress })
    if ($addresses.Count -eq 0) { return $false }
    $host4 = ($Target -split ':')[0]
    if ($addresses -notcontains $host4 -and @(Get-Rows $state netRoutes | Where-Object { $_.DestinationPrefix -eq '0.0.0.0/0' }).Count -eq 0) { return $false }
    $probe = Get-Rows $state probes | Where-Object { $_.Target -eq $Target -and ($_.Kind -eq $Kind -or ($Kind -eq 'udp' -and $_.Kind -eq 'dns')) } | Select-Object -First 1
    # Targets that are not in the state have the result of the first probe.
    if ($null -eq $probe) { $probe = Get-Rows $state probes | Select-Object -First 1 }
    $null -eq $probe -or [bool]$probe.Ok
}

# On .NET Framework a socket created without a family is IPv4.
function Get-SocketTask {
    param([string]$Family, $Address, [int]$Port, [string]$Kind)
    $own = if ($Family) { $Family } else { 'InterNetwork' }
    if ([string]$Address.AddressFamily -ne $own) { return [System.Threading.Tasks.Task]::FromException([System.Net.Sockets.SocketException]::new(10047)) }
    $shown = if ($own -eq 'InterNetworkV6') { "[$Address]" } else { [string]$Address }
    Get-ReachTask -Target "${shown}:$Port" -Kind $Kind
}

function Get-ReachTask {
    param([string]$Target, [string]$Kind)
    if (Test-Reach -Target $Target -Kind $Kind) { return [System.Threading.Tasks.Task]::FromResult($true) }
    [System.Threading.Tasks.Task]::FromException([System.Net.Sockets.SocketException]::new(10060))
}

function Get-AuthenticodeSignature {
    [CmdletBinding()]
    param([string]$LiteralPath)
    $signed = (Read-Section drivers).ovsext.Signed
    $issuer = if ($signed) { 'CN=Microsoft Windows Third Party Component CA 2014' } else { 'CN=WDKTestCert' }
    [pscustomobject]@{ Status = 'Valid'; SignerCertificate = [pscustomobject]@{ Subject = $(if ($signed) { 'CN=Microsoft Windows Hardware Compatibility Publisher' } else { $issuer }); Issuer = $issuer } }
}
