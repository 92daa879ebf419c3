# Ports of the host: the dynamic range of Windows, and the reservations of HNS.

# "Start Port : 49152", "Number of Ports : 16384": a number at the end of each of two lines, in every language.
function Get-DynamicPortSection {
    foreach ($protocol in @('tcp', 'udp')) {
        $arguments = @('interface', 'ipv4', 'show', 'dynamicport', "protocol=$protocol")
        $text = Invoke-NativeChecked -Path (Get-SystemProgram -Name netsh.exe) -Arguments $arguments
        $numbers = @([regex]::Matches($text, '(?m)(?<=\s)\d+(?=\s*$)') | ForEach-Object -Process { [int]$_.Value })
        if ($numbers.Count -ne 2) { throw (New-HelperError -Kind Failed -Message "netsh printed $($numbers.Count) numbers for the dynamic range of $protocol ports, not 2.") }
        [pscustomobject]@{ Protocol = $protocol; Start = $numbers[0]; End = $numbers[0] + $numbers[1] - 1 }
    }
}

# The ports that HNS has reserved, with their owners. Windows before Server 2019 does not have this list.
function Get-HnsPortPoolSection {
    New-RawJson -Text (Invoke-HnsCall -Method GET -Path '/portpools')
}
